// An integer as a number and back: a float has no room for all of its bits.
//
// cleave: expect -DT=float -DMOST=16777216 paths=3
// cleave: expect -DT=double paths=1
// cleave: expect -DT='long double' paths=1
// cleave: expect -DT=float paths=1 failed=1
#include "any.h"
int main(void) {
  int n; klee_make_symbolic(&n, sizeof n, "n");
#ifdef MOST
  if (n > MOST || n < -MOST) return 0;
#endif
  T x = n;
  assert((long)x == n);
  return 1;
}
