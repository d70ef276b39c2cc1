// The logistic map stays between zero and one. After eight steps it comes near one half somewhere.
//
// cleave: expect -DT=float -DN=3 paths=3
// cleave: expect -DT=double -DN=3 paths=3
// cleave: expect -DT='long double' -DN=3 paths=3
// cleave: expect -DT=float -DN=8 -DBUG paths=4 failed=1
// cleave: expect -DT=double -DN=8 -DBUG paths=4 failed=1
// cleave: expect -DT='long double' -DN=8 -DBUG paths=4 failed=1
#include "any.h"
int main(void) {
  T x = any_number("x");
  if (!(x >= 0 && x <= 1)) return 0;
  for (int i = 0; i < N; i++) x = (T)3.9 * x * (1 - x);
#ifdef BUG
  assert(!(x > (T)0.5 && x < (T)0.5001));
#else
  assert(x >= 0 && x <= 1);
#endif
  return 1;
}
