// A breakpoint without a debugger: SIGTRAP natively.
//
// cleave: expect paths=1 failed=1
// cleave: bug abort
// cleave: domain x 6..8
// cleave: levels -O0 -O2
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7)
    __builtin_debugtrap(); //~ ERROR abort
  return 2;
}
