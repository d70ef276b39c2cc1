// Reads one line of comma-separated fields, which may stand in quotes with quotes doubled, and writes it again.
// Holds: reading what was written gives the same fields.
#include <assert.h>
#include <string.h>
#include <unistd.h>

#ifndef N
#define N 8
#endif

struct row {
  int count;
  int start[2 * N + 3]; // Where the fields begin in `text`; one more for the end.
  char text[2 * N + 3];
};

// Reads the line at `s`. Returns 0 if a quote is not closed or something stands behind one.
static int read_row(const char *s, struct row *row) {
  int size = 0;
  row->count = 0;
  for (;;) {
    row->start[row->count++] = size;
    if (*s == '"') {
      for (s++;; s++) {
        if (*s == 0) return 0;
        if (*s == '"' && *++s != '"') break;
        row->text[size++] = *s;
      }
      if (*s != ',' && *s != '\n' && *s != 0) return 0;
    } else {
      while (*s != ',' && *s != '\n' && *s != 0) row->text[size++] = *s++;
    }
    if (*s++ != ',') break;
  }
  row->start[row->count] = size;
  return 1;
}

static int needs_quotes(const char *s, int n) {
  for (int i = 0; i < n; i++)
    if (s[i] == ',' || s[i] == '"' || s[i] == '\n') return 1;
  return 0;
}

static void write_row(const struct row *row, char *out) {
  for (int i = 0; i < row->count; i++) {
    const char *field = row->text + row->start[i];
    int n = row->start[i + 1] - row->start[i];
    int quotes = needs_quotes(field, n);
    if (i > 0) *out++ = ',';
    if (quotes) *out++ = '"';
    for (int k = 0; k < n; k++) {
      if (field[k] == '"') *out++ = '"';
      *out++ = field[k];
    }
    if (quotes) *out++ = '"';
  }
  *out = 0;
}

int main(void) {
  char line[N + 1], again[4 * N + 4];
  struct row first, second;
  ssize_t n = read(0, line, N);
  if (n < 0) return 1;
  line[n] = 0;
  if (!read_row(line, &first)) return 1;
  write_row(&first, again);
  assert(read_row(again, &second));
  assert(first.count == second.count && first.count <= n + 1);
  int size = first.start[first.count];
  assert(memcmp(first.start, second.start, (first.count + 1) * sizeof(int)) == 0);
  assert(memcmp(first.text, second.text, size) == 0);
  return 0;
}
