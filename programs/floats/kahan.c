// Kahan's sum of a large number and two small ones: a plain sum loses what is compensated here.
//
// cleave: expect -DT=float paths=3 failed=1
// cleave: expect -DT=double -DSMALL=1e-16 paths=3 failed=1
// cleave: expect -DT='long double' -DSMALL=1e-19 paths=3 failed=1
// cleave: expect -DT=float -DRIGHT paths=3
// cleave: expect -DT=double -DSMALL=1e-16 -DRIGHT paths=3
// cleave: expect -DT='long double' -DSMALL=1e-19 -DRIGHT paths=3
#include "any.h"

#ifndef SMALL
#define SMALL 1e-8f
#endif

int main(void) {
  T x = any_number("x");
  if (!(x > 0 && x < (T)SMALL * 4)) return 0;
  volatile T plain = 1, sum = 1, c = 0;
  for (int i = 0; i < 4; i++) {
    plain += x;
    volatile T y = x - c, t = sum + y;
    c = (t - sum) - y;
    sum = t;
  }
#ifdef RIGHT
  assert(sum >= 1 && sum <= 1 + (T)SMALL * 20);
#else
  assert(plain == sum);
#endif
  return 1;
}
