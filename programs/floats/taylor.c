// The sine of a number up to one, as two terms of its series: above 0.47 somewhere, never above 0.9.
//
// cleave: expect -DT=float paths=4
// cleave: expect -DT=double paths=4
// cleave: expect -DT='long double' paths=4
#include "any.h"

int main(void) {
  T x = any_number("x");
  if (!(x >= 0)) return 0;
  if (!(x <= 1)) return 1;
  T y = x - x * x * x / 6;
  assert(y <= (T)0.9);
  if (y > (T)0.47) return 2;
  return 3;
}
