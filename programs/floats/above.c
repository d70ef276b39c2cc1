// A number plus one is above it, up to where its neighbours are two apart.
//
// cleave: expect -DT=float -DMOST=1e7 paths=3
// cleave: expect -DT=double -DMOST=9e15 paths=3
// cleave: expect -DT='long double' -DMOST=9e18L paths=3
// cleave: expect -DT=float -DMOST=2e7 paths=3 failed=1
// cleave: expect -DT=double -DMOST=1e16 paths=3 failed=1
// cleave: expect -DT='long double' -DMOST=2e19L paths=3 failed=1
#include "any.h"
int main(void) {
  T x = any_number("x");
  if (!(x >= 0 && x < (T)MOST)) return 0;
  assert(x + 1 > x);
  return 1;
}
