// The remainder of any number by three: it may be one and a half, and is never four.
//
// cleave: expect -DT=float paths=2
// cleave: expect -DT=double paths=2
// cleave: expect -DT='long double' paths=2
#include "any.h"
#include <math.h>

#define MOD(x, y) _Generic((x), float: fmodf, double: fmod, long double: fmodl)(x, y)

int main(void) {
  T x = any_number("x"), y = MOD(x, (T)3);
  if (y == (T)1.5) return 1;
  assert(y != 4);
  return 2;
}
