// A shift by an input that may reach the width of the value: the check of the amount is itself a fork.
//
// cleave: expect paths=2 failed=1
// cleave: bug overshift
// cleave: domain x 0..40
#include <klee/klee.h>

static volatile unsigned sink;

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  sink = 1u << x; //~ ERROR overshift
  if (x > 3) return 0;
  return 0;
}
