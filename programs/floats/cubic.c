// A cubic by Horner's rule: its values lie between bounds, and it has a root.
//
// cleave: expect -DT=float paths=3
// cleave: expect -DT=double paths=3
// cleave: expect -DT='long double' paths=3
// cleave: expect -DT=float -DBUG -DEPS=1e-5f paths=4 failed=1
// cleave: expect -DT=double -DBUG -DEPS=1e-5 paths=4 failed=1
// cleave: expect -DT='long double' -DBUG -DEPS=1e-5L paths=4 failed=1
#include "any.h"
int main(void) {
  T x = any_number("x");
  if (!(x >= 2 && x <= 3)) return 0;
  T y = ((x + 0) * x - 2) * x - 5;
#ifdef BUG
  assert(!(y > -EPS && y < EPS));
#else
  assert(y >= (T)-1.01 && y <= (T)16.01);
#endif
  return 1;
}
