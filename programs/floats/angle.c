// An angle is brought into one turn. What is just below zero becomes a whole turn.
//
// cleave: expect -DT=float paths=4
// cleave: expect -DT=double paths=4
// cleave: expect -DT='long double' paths=4
// cleave: expect -DT=float -DBUG paths=4 failed=1
// cleave: expect -DT=double -DBUG paths=4 failed=1
// cleave: expect -DT='long double' -DBUG paths=4 failed=1
#include "any.h"
#include <math.h>

#define MOD(x, y) _Generic((x), float: fmodf, double: fmod, long double: fmodl)(x, y)

int main(void) {
  T x = any_number("x");
  if (!(x >= -720 && x <= 720)) return 0;
  T y = MOD(x, (T)360);
  if (y < 0) y += 360;
#ifdef BUG
  assert(y >= 0 && y < 360);
#else
  assert(y >= 0 && y <= 360);
#endif
  return 1;
}
