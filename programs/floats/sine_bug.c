// The sine of a number is above 0.47 somewhere below 0.6, where it was said to be less.
//
// cleave: expect -DT=float paths=3 failed=1
// cleave: expect -DT=double paths=3 failed=1
// cleave: expect -DT='long double' paths=3 failed=1
#include "any.h"

int main(void) {
  T x = any_number("x");
  if (!(x >= 0 && x < (T)0.6)) return 0;
  assert(!(x - x * x * x / 6 > (T)0.47));
  return 1;
}
