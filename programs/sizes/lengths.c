// Copies and fills whose length depends on the input: into objects of known and of symbolic size, apart and overlapping.
//
// cleave: expect paths=9 failed=5
// cleave: apart paths=48 failed=71
// cleave: flags -fno-builtin
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

// What is behind the length stays as it was.
static int copied(unsigned n) {
  char from[16] = "abcdefghijklmno", to[16] = "...............";
  memcpy(to, from, n); //~ ERROR ptr
  int right = 1;
  for (unsigned i = 0; i < 15; i++) right &= (i < n) * (to[i] == from[i]) + (i >= n) * (to[i] == '.');
  return right ? 1 : 2;
}

static int filled(unsigned n) {
  unsigned char *p = malloc(n);
  memset(p, 7, n);
  int sum = n > 0 ? p[0] + p[n - 1] : 14;
  memset(p, 1, n + 1); //~ ERROR ptr
  return sum;
}

static int moved(unsigned n) {
  char text[24] = "abcdefghijklmnopqrstuvw";
  memmove(text + 2, text, n); //~ ERROR ptr
  if (n > 3) return text[2] == 'a' && text[5] == 'd' ? 3 : 4;
  return 5;
}

// memcpy of more than two bytes overlaps.
static int overlapping(unsigned n) {
  char text[24] = "abcdefghijklmnopqrstuvw";
  if (n > 20) return 6;
  memcpy(text + 2, text, n); //~ ERROR ptr
  return text[2];
}

// Nothing is copied, wherever the pointers go.
static int nothing(unsigned n) {
  char *none = NULL;
  if (n > 0) return 7;
  memcpy(none, none, n);
  return 8;
}

int main(void) {
  unsigned char n, which;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&which, sizeof which, "which");
  if (n > 30) return 0;
  switch (which) {
  case 0: return copied(n);
  case 1: return filled(n);
  case 2: return moved(n);
  case 3: return overlapping(n);
  case 4: return nothing(n);
  }
  return 0;
}
