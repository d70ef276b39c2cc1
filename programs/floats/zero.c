// An `unsigned long` that is zero is -0 as a `double` where rounding is down and the compiler does not see that it has no
// sign: its code is a difference. Where it sees that, and in every other mode, it is +0.
//
// cleave: expect paths=6
#include "any.h"
#include <fenv.h>
#include <math.h>

static int is_minus_zero(double x) { return signbit(x) && x == 0; }

int main(void) {
  unsigned long n = 0;
  unsigned char mode = 0;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&mode, 1, "mode");
  int down = mode == 0;
  if (down) fesetround(FE_DOWNWARD);
  else if (mode == 1) fesetround(FE_UPWARD);
  else if (mode == 2) fesetround(FE_TOWARDZERO);
  assert(is_minus_zero(n) == (down && n == 0));
  assert(is_minus_zero(n - 5) == (down && n == 5));
  assert(!is_minus_zero(n >> 1));
  assert(!is_minus_zero(n & 0xfff));
  assert(!is_minus_zero((unsigned)n));
  assert(!is_minus_zero(n % 10));
  assert(!signbit((float)n) && !signbit((long double)n));
  return mode;
}
