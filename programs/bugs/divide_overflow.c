// A quotient that does not fit: the least int divided by -1.
//
// cleave: expect paths=2 failed=1
// cleave: bug div
// cleave: domain x 6..8
#include <klee/klee.h>
#include <limits.h>

static volatile int sink;

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    volatile int least = INT_MIN, minus_one = -1;
    sink = least / minus_one; //~ ERROR div
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
