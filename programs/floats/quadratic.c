// The roots of x^2 + b x + 1: a small b has none, and a large one loses the smaller root altogether.
//
// cleave: expect -DT=float paths=4 failed=1
// cleave: expect -DT=double paths=4 failed=1
// cleave: expect -DT='long double' paths=4 failed=1
// cleave: expect -DT=float -DRIGHT paths=4
// cleave: expect -DT=double -DRIGHT paths=4
// cleave: expect -DT='long double' -DRIGHT paths=4
#include "any.h"
#include <math.h>

#define ROOT(x) _Generic((x), float: sqrtf, double: sqrt, long double: sqrtl)(x)

int main(void) {
  T b = any_number("b");
  if (!(b >= 0 && b <= 1e10f)) return 0;
  T d = b * b - 4;
  if (d < 0) return 1;
#ifdef RIGHT
  // The other root, which does not cancel; their product is one.
  T root = 1 / ((-b - ROOT(d)) / 2);
#else
  T root = (-b + ROOT(d)) / 2;
#endif
  assert(root != 0);
  return 2;
}
