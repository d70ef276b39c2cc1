// malloc, calloc and realloc with a size that depends on the input: in bounds up to the last byte, and one byte behind.
//
// cleave: expect paths=9 failed=5
// cleave: apart paths=126 failed=122
#include <klee/klee.h>
#include <stdlib.h>

// The last element, and the one behind it.
static int characters(unsigned n, int beyond) {
  char *p = malloc(n);
  if (n == 0) {
    free(p);
    return 0;
  }
  p[0] = 1;
  p[n - 1] = 2;
  int first = p[0];
  if (beyond) p[n] = 3; //~ ERROR ptr
  free(p);
  return first;
}

static int numbers(unsigned n, int beyond) {
  int *p = calloc(n, sizeof *p);
  if (n > 2) p[n - 1] = 5;
  int sum = n > 2 ? p[0] + p[n - 1] : 5;
  if (beyond) sum += p[n]; //~ ERROR ptr
  free(p);
  return sum;
}

static int longer(unsigned n, int beyond) {
  char *p = malloc(3);
  p[2] = 7;
  p = realloc(p, n + 3);
  p[n + 2] = 1;
  int kept = p[2];
  p = realloc(p, n + 5);
  p[n + 4] = 2;
  if (n > 0) kept += p[n + 2];
  if (beyond) p[n + 5] = 3; //~ ERROR ptr
  free(p);
  return kept;
}

int main(void) {
  unsigned n;
  unsigned char which;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&which, sizeof which, "which");
  if (n > 40) return 0;
  switch (which) {
  case 0: return characters(n, 0);
  case 1: return characters(n, 1);
  case 2: return numbers(n, 0);
  case 3: return numbers(n, 1);
  case 4: return longer(n, 0);
  case 5: return longer(n, 1);
  }
  return 0;
}
