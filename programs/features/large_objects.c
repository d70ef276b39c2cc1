// Objects of several GiB of which little is used: from malloc, calloc, realloc and static, copied and filled in part.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIB ((size_t)1 << 30)
// clang 19 at -O0 computes constant offsets of small copies from 2 GiB on wrongly.
static volatile size_t gib = GIB;

static char table[GIB + 5];
static long numbers[GIB / 16];

static void print(const char *what, const char *at, size_t n) {
  printf("%s:", what);
  for (size_t i = 0; i < n; i++) printf(" %d", at[i]);
  printf("\n");
}

int main(void) {
  size_t size = 5 * GIB + 3;
  char *p = malloc(size);
  if (!p) return 1;
  p[0] = 1;
  p[size / 2] = 2;
  p[size - 1] = 3;
  table[GIB] = 4;
  numbers[GIB / 16 - 1] = 5;
  printf("%d %d %d %d %ld %ld\n", p[0], p[size / 2], p[size - 1], table[GIB], numbers[GIB / 16 - 1], numbers[7]);

  char *zeros = calloc(3, GIB);
  if (!zeros) return 1;
  print("zeros", zeros + 3 * GIB - 3, 3);
  memset(zeros + gib - 2, 6, 5);
  memcpy(zeros + 2 * gib - 1, zeros + gib - 3, 7);
  print("filled", zeros + GIB - 3, 7);
  print("copied", zeros + 2 * GIB - 2, 9);
  // A large part, at a place with another alignment, and one that overlaps it.
  memset(p + 4 * GIB, 7, 3 << 20);
  memcpy(p + 3 * GIB + 5, p + 4 * GIB, 3 << 20);
  memmove(p + 3 * GIB + 9, p + 3 * GIB + 5, 3 << 20);
  p[3 * GIB + 4] = p[3 * GIB + 9 + (3 << 20)] = 8;
  print("moved", p + 3 * GIB + 4, 7);
  print("its end", p + 3 * GIB + 6 + (3 << 20), 4);

  char *more = realloc(zeros, 4 * GIB);
  if (!more) return 1;
  more[4 * GIB - 1] = 9;
  print("reallocated", more + 2 * GIB - 2, 9);
  char *less = realloc(more, 2 * GIB);
  if (!less) return 1;
  print("cut off", less + 2 * GIB - 2, 2);
  free(less);
  free(p);
  return 0;
}
