// A local variable that has a value on some paths only: asking for it on the others is the bug, copying it is none.
//
// cleave: expect paths=3 failed=1
// cleave: bug uninitialised
// cleave: domain k 0..8
#include <klee/klee.h>

int main(void) {
  int x, copy;
  int k;
  klee_make_symbolic(&k, sizeof k, "k");
  if (k > 3) x = k > 6 ? 1 : 0;
  copy = x;
  if (k == 2) return 1;
  if (copy) return 2; //~ ERROR uninitialised
  return 0;
}
