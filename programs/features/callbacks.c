// Library functions that call back: qsort with large and odd element sizes, qsort_r, bsearch at its ends, lfind,
// tsearch, hash tables, nftw-free iteration; a comparison that counts.
//
// cleave: expect paths=1
// cleave: exit 0
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compared;

static int by_text(const void *a, const void *b) {
  compared++;
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_first_byte(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }

static int by_column(const void *a, const void *b, void *column) {
  int k = *(int *)column;
  return ((const int *)a)[k] - ((const int *)b)[k];
}

static int by_number(const void *a, const void *b) {
  long x = (long)a, y = (long)b;
  return (x > y) - (x < y);
}

static void visit(const void *node, VISIT when, int depth) {
  if (when == postorder || when == leaf) printf("%ld@%d ", *(const long *)node, depth);
}

int main(void) {
  const char *words[] = {"pear", "fig", "apple", "date", "cherry", "banana", "elder"};
  qsort(words, 7, sizeof *words, by_text);
  for (int i = 0; i < 7; i++) printf("%s ", words[i]);
  printf("%d\n", compared > 0);
  char odd[9][7];
  for (int i = 0; i < 9; i++) snprintf(odd[i], sizeof odd[i], "%c%05d", 'a' + i * 5 % 9, i);
  qsort(odd, 9, sizeof odd[0], by_first_byte);
  for (int i = 0; i < 9; i++) printf("%s ", odd[i]);
  printf("\n");
  int rows[5][3] = {{3, 1, 9}, {1, 5, 8}, {2, 4, 7}, {5, 3, 6}, {4, 2, 5}};
  for (int column = 0; column < 3; column++) {
    qsort_r(rows, 5, sizeof rows[0], by_column, &column);
    for (int i = 0; i < 5; i++) printf("%d%d%d ", rows[i][0], rows[i][1], rows[i][2]);
    printf("\n");
  }
  for (const char *k = "apple"; k; k = strcmp(k, "apple") == 0 ? "zebra" : NULL) {
    const char **found = bsearch(&k, words, 7, sizeof *words, by_text);
    printf("%td ", found ? found - words : -1);
  }
  size_t n = 7;
  const char *wanted = "fig";
  printf("%d\n", lfind(&wanted, words, &n, sizeof *words, by_text) == &words[6 - 1]);
  void *root = NULL;
  for (long v = 0; v < 12; v++) tsearch((void *)(v * 7 % 12 + 1), &root, by_number);
  tdelete((void *)5, &root, by_number);
  twalk(root, visit);
  printf("%d\n", tfind((void *)5, &root, by_number) == NULL);
  hcreate(20);
  for (int i = 0; i < 7; i++) hsearch((ENTRY){(char *)words[i], (void *)(long)i}, ENTER);
  ENTRY *entry = hsearch((ENTRY){"date", NULL}, FIND);
  printf("%ld %d\n", (long)entry->data, hsearch((ENTRY){"none", NULL}, FIND) == NULL);
  hdestroy();
  return 0;
}
