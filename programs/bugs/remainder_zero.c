// A remainder by an input that may be zero: the check of the divisor is itself a fork.
//
// cleave: expect paths=2 failed=1
// cleave: bug div
// cleave: domain x 0..2
#include <klee/klee.h>

static volatile unsigned sink;

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  sink = 10 % x; //~ ERROR div
  if (x > 1) return 0;
  return 0;
}
