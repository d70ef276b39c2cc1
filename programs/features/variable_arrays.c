// Arrays of variable length, alloca, flexible array members, and that stack space comes back.
//
// cleave: expect paths=1
// cleave: exit 0
#include <alloca.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int four = 4;

static int trace_of(int n, int m[n][n]) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += m[i][i];
  return sum;
}

static long many_rounds(int n) {
  long total = 0;
  for (int i = 0; i < 2000; i++) {
    char block[n * 100 + i % 7];
    memset(block, i, sizeof block);
    total += block[sizeof block - 1];
  }
  return total;
}

static char *joined(const char *a, const char *b, char *out) {
  char *space = alloca(strlen(a) + strlen(b) + 1);
  strcpy(space, a);
  strcat(space, b);
  return strcpy(out, space);
}

static int nested(int depth) {
  int here[depth + 1];
  for (int i = 0; i <= depth; i++) here[i] = i * depth;
  int below = depth > 0 ? nested(depth - 1) : 0;
  return below + here[depth];
}

struct tail {
  int count;
  short values[];
};

int main(void) {
  int n = four;
  int matrix[n][n];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) matrix[i][j] = 10 * i + j;
  printf("%d %zu %zu\n", trace_of(n, matrix), sizeof matrix, sizeof matrix[0]);
  int(*row)[n] = matrix + 1;
  printf("%d %d\n", (*row)[2], matrix[3] == row[2]);
  printf("%ld\n", many_rounds(n));
  char out[32];
  printf("%s\n", joined("left ", "right", out));
  printf("%d\n", nested(20));
  struct tail *t = malloc(offsetof(struct tail, values) + n * sizeof(short));
  t->count = n;
  for (int i = 0; i < n; i++) t->values[i] = (short)(i * i);
  printf("%d %d %zu\n", t->values[t->count - 1], t->count, sizeof *t);
  free(t);
  typedef int line[n];
  n = 99;
  line kept;
  memset(kept, 0, sizeof kept);
  printf("%zu %d\n", sizeof(line), kept[3]);
  return 0;
}
