// The roots of x^2 + b x + 1: a small b has none, and a large one loses the smaller root altogether.
//
// cleave: expect -DT=float paths=4 failed=1
// cleave: expect -DT=double paths=4 failed=1
// cleave: expect -DT='long double' paths=4 failed=1
#include "any.h"
#include <math.h>

#define ROOT(x) _Generic((x), float: sqrtf, double: sqrt, long double: sqrtl)(x)

int main(void) {
  T b = any_number("b");
  if (!(b >= 0 && b <= 1e10f)) return 0;
  T d = b * b - 4;
  if (d < 0) return 1;
  T root = (-b + ROOT(d)) / 2;
  assert(root != 0);
  return 2;
}
