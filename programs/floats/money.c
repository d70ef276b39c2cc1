// Cents as a fraction, and back: cut off, some are one cent less.
//
// cleave: expect -DT=float paths=2
// cleave: expect -DT=double paths=2
// cleave: expect -DT='long double' paths=2
// cleave: expect -DT=float -DBUG paths=2 failed=1
// cleave: expect -DT=double -DBUG paths=2 failed=1
// cleave: expect -DT='long double' -DBUG paths=2 failed=1
#include "any.h"
int main(void) {
  unsigned short n; klee_make_symbolic(&n, 2, "n");
  if (n >= 10000) return 0;
  T x = (T)n / 100;
#ifdef BUG
  assert((int)(x * 100) == n);
#else
  assert((int)(x * 100 + (T)0.5) == n);
#endif
  return 1;
}
