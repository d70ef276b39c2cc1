// Sizes above the limit are a path each, those up to it are one.
//
// cleave: expect paths=7 failed=6
// cleave: apart paths=9 failed=8
// cleave: run --max-symbolic-size=16
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char n, beyond;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&beyond, sizeof beyond, "beyond");
  if (n > 7) return 0;
  char *p = malloc(n + 14);
  p[n + 13] = 1;
  if (beyond) p[n + 14] = 2; //~ ERROR ptr
  free(p);
  return 1;
}
