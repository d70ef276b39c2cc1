// Values that are undefined in part or for a while, and never used where it matters: structures with gaps, fields of
// bits, unions, buffers of which only the written part is used, shifts that are guarded.
//
// cleave: expect paths=13
// cleave: args --sym-arg 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gap { char c; int i; };
struct flags { unsigned a : 3, b : 5, c : 9; unsigned char d : 1; };
union both { struct gap gap; char bytes[16]; };

__attribute__((noinline)) static struct gap make(int i) {
  struct gap g;
  g.c = 'g';
  g.i = i;
  return g;
}

__attribute__((noinline)) static unsigned shifted(unsigned x, unsigned n) { return n < 32 ? x << n : 0; }

__attribute__((noinline)) static void set(struct flags *f, unsigned v) {
  f->a = v;
  f->c = v * 3;
}

__attribute__((noinline)) static int maybe(int c, int *out) {
  if (c < 'a') return 0;
  *out = c;
  return 1;
}

int main(int argc, char **argv) {
  unsigned char c = argc > 1 ? argv[1][0] : 0;
  struct gap g = make(c), copy = g, *heap = malloc(sizeof *heap);
  memcpy(heap, &copy, sizeof copy);
  if (heap->i == 7 || heap->c != 'g') return 1;

  struct flags f, h;
  set(&f, c);
  h = f;
  if (h.a == 5) return 2;
  if (h.c == 300) return 3;

  union both u;
  u.gap = *heap;
  if (u.bytes[0] != 'g') return 4;

  char buffer[100], other[100];
  int n = snprintf(buffer, sizeof buffer, "%d", c & 3);
  memcpy(other, buffer, sizeof other);
  if (strcmp(other, "2") == 0) return 5;
  fwrite(other, 1, n, stdout);
  char *grown = realloc(heap, 64);
  if (!grown || grown[0] != 'g') return 6;
  grown[20] = 0;
  if (memcmp(grown, &g.c, 1)) return 7;

  int out;
  if (maybe(c, &out) && out == 'q') return 8;
  if (strchr("=,", c) != NULL) return 9;
  if (shifted(1, c) == 4) return 10;
  int sum = 0, left;
  for (int i = 0; i < 3; i++) {
    if (i > 0) sum += left;
    left = i * c;
  }
  return sum & 1 ? 11 : 0;
}
