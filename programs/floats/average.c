// The variance of two numbers is not negative.
//
// cleave: expect -DT=float paths=2
// cleave: expect -DT=double paths=2
// cleave: expect -DT='long double' paths=2
#include "any.h"
int main(void) {
  T a = any_number("a"), b = any_number("b");
  if (!((a >= 0) & (a <= 10) & (b >= 0) & (b <= 10))) return 0;
  T m = (a + b) / 2;
  T v = ((a - m) * (a - m) + (b - m) * (b - m)) / 2;
  assert(v >= 0);
  return 1;
}
