// A recursion without end.
//
// cleave: expect paths=2 failed=1
// cleave: bug stack_overflow
// cleave: domain x 6..8
#include <klee/klee.h>

static int descend(int n) {
  volatile int local[64];
  local[n & 63] = n;
  return descend(n + 1) + local[n & 63]; //~ ERROR stack_overflow
}

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    return descend(0);
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
