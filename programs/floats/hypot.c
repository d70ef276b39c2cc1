// The length of a vector: of parts that are large the squares overflow.
//
// cleave: expect -DT=float -DMOST=1000 paths=2
// cleave: expect -DT=float -DBUG -DMOST=1e30f paths=2 failed=1
// cleave: expect -DT=double -DBUG -DMOST=1e200 paths=2 failed=1
// cleave: expect -DT='long double' -DBUG -DMOST=1e4000L paths=2 failed=1
#include "any.h"
#include <math.h>
#define ROOT(x) _Generic((x), float: sqrtf, double: sqrt, long double: sqrtl)(x)
int main(void) {
  T x = any_number("x"), y = any_number("y");
  if (!((x >= 0) & (y >= 0) & (x < (T)MOST) & (y < (T)MOST))) return 0;
  T r = ROOT(x * x + y * y);
#ifdef BUG
  assert(r < INFINITY);
#else
  assert(r >= 0 && r < (T)MOST * 2);
#endif
  return 1;
}
