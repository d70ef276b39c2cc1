// Figure 1 of the S2PF paper (Zhang, Chen, Wang 2012): 8 paths through the text, of which 2 are infeasible.
// The ints are kept small, because the paper's are unbounded and a C sum must not wrap.
//
// cleave: expect paths=6
// cleave: domain value -3..3
#include <klee/klee.h>

static volatile int output;

int main(void) {
  int x = klee_range(-1000, 1001, "value");
  int y = klee_range(-1000, 1001, "value");
  if (x < 0) x = -x;
  if (y < 0) y = -y;
  x = x + y;
  if (x > y) output = x;
  return 0;
}
