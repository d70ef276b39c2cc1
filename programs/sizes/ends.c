// What becomes of objects of symbolic size: freed twice, used after that, lost, asked for their size; and sizes of zero, of more
// than any object has, and that are products of two inputs.
//
// cleave: expect paths=10 failed=5
// cleave: apart paths=42 failed=32
// cleave: run --check=leak
#include <klee/klee.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

static void *volatile kept;

static int used_after(unsigned n) {
  char *p = malloc(n + 1);
  p[n] = 1;
  free(p);
  return p[0]; //~ ERROR ptr
}

static int freed_twice(unsigned n) {
  char *p = kept = malloc(n);
  free(p);
  free(kept); //~ ERROR ptr
  return 0;
}

static int lost(unsigned n) {
  char *volatile p = malloc(n + 1); //~ ERROR leak
  p[n] = 2;
  p = NULL;
  return 0;
}

static int asked(unsigned n) {
  char *p = malloc(n + 2);
  int right = malloc_usable_size(p) >= n + 2;
  p[malloc_usable_size(p) - 1] = 1;
  free(p);
  return right ? 1 : 2;
}

// Of no bytes none can be written, but the object is there.
static int empty(unsigned n) {
  char *p = malloc(n), *q = malloc(n);
  int apart = p && q && p != q;
  if (n == 0) p[0] = 1; //~ ERROR ptr
  free(p);
  free(q);
  return apart ? 3 : 4;
}

static int aligned(unsigned n) {
  void *p;
  if (posix_memalign(&p, 64, n + 1)) return 5;
  ((char *)p)[n] = 1;
  int right = (uintptr_t)p % 64 == 0;
  free(p);
  return right ? 6 : 7;
}

// More than any object has: one path without memory.
static int large(unsigned n) {
  char *p = malloc(((size_t)n << 56) + 8);
  if (!p) return 8;
  p[7] = 1;
  free(p);
  return 9;
}

// A product that does not fit is refused, a wrong one is not.
static int product(unsigned n) {
  size_t many = (size_t)n << 61;
  char *p = calloc(many, 8), *q = malloc(many * 8 + 1);
  q[0] = 1;
  int got = p != NULL;
  free(p);
  free(q);
  return got ? 10 : 11;
}

// Elements behind a struct, pointers in an object of symbolic size.
static int pointers(unsigned n) {
  char **p = malloc((n + 1) * sizeof *p);
  p[n] = malloc(n + 1);
  p[n][n] = 4;
  p[0][0] = 3; //~ ERROR uninitialised
  free(p[n]);
  free(p);
  return 12;
}

int main(void) {
  unsigned char n, which;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&which, sizeof which, "which");
  if (n > 7) return 0;
  switch (which) {
  case 0: return used_after(n);
  case 1: return freed_twice(n);
  case 2: return lost(n);
  case 3: return asked(n);
  case 4: return empty(n);
  case 5: return aligned(n);
  case 6: return large(n);
  case 7: return product(n);
  case 8: return pointers(n);
  }
  return 0;
}
