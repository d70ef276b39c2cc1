// Runs standard input as SQL in a database in memory that has one table with two rows, and prints what comes of it.
#include <stdio.h>
#include <sqlite3.h>

static int row(void *unused, int columns, char **values, char **names) {
  (void)unused;
  for (int i = 0; i < columns; i++) printf("%s=%s%c", names[i], values[i] ? values[i] : "NULL", i + 1 < columns ? '|' : '\n');
  return 0;
}

int main(void) {
  static char text[256];
  sqlite3 *database;
  char *why = NULL;
  fread(text, 1, sizeof text - 1, stdin);
  if (sqlite3_open(":memory:", &database) != SQLITE_OK) return 2;
  if (sqlite3_exec(database, "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y')", NULL, NULL, NULL) != SQLITE_OK) return 3;
  int end = sqlite3_exec(database, text, row, NULL, &why);
  printf("%d %s\n", end, why ? why : "");
  sqlite3_free(why);
  sqlite3_close(database);
  return end != SQLITE_OK;
}
