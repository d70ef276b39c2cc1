// Arrays of variable length: written at a symbolic place, and one element behind the last.
//
// cleave: expect paths=5 failed=1
// cleave: apart paths=54 failed=50
#include <klee/klee.h>

static int written(int n, int k) {
  short a[n];
  a[0] = 4;
  a[k] = 3; //~ ERROR ptr
  return a[0];
}

int main(void) {
  int n, k;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&k, sizeof k, "k");
  if (n < 1 || n > 50 || k < 0 || k > n) return 0;
  return written(n, k);
}
