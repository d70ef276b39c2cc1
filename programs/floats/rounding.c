// The mean of two numbers lies between them, unless their sum overflows.
//
// cleave: expect -DT=float paths=2
// cleave: expect -DT=double paths=2
// cleave: expect -DT='long double' paths=2
// cleave: expect -DT=float -DMOST=INFINITY paths=2 failed=1
// cleave: expect -DT=double -DMOST=INFINITY paths=2 failed=1
// cleave: expect -DT='long double' -DMOST=INFINITY paths=2 failed=1
#include "any.h"
#include <math.h>

#ifndef MOST
#define MOST 1000
#endif

int main(void) {
  T a = any_number("a"), b = any_number("b");
  if (!((a >= 1) & (a <= b) & (b < MOST))) return 0;
  T mean = (a + b) / 2;
  assert((mean >= a) & (mean <= b));
  return 1;
}
