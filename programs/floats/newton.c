// Three steps of Newton's method from 1.5: the square of the root is nowhere far from the number. `x` far above four is.
//
// cleave: expect -DT=float paths=3
// cleave: expect -DT=double paths=3
// cleave: expect -DT='long double' paths=3
// cleave: expect -DT=float -DMOST=100 paths=3 failed=1
// cleave: expect -DT=double -DMOST=100 paths=3 failed=1
// cleave: expect -DT='long double' -DMOST=100 paths=3 failed=1
#include "any.h"

#ifndef MOST
#define MOST 4
#endif

int main(void) {
  T x = any_number("x");
  if (!(x >= 1 && x <= MOST)) return 0;
  T r = (T)1.5;
  for (int i = 0; i < 3; i++) r = (r + x / r) / 2;
  assert(r * r - x <= (T)0.1);
  return 1;
}
