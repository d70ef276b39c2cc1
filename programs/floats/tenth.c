// A tenth that is rounded, times a number, is not always a tenth of the number; it is near that.
//
// cleave: expect -DT=float paths=1
// cleave: expect -DT=double paths=1
// cleave: expect -DT='long double' paths=1
// cleave: expect -DT=float -DBUG paths=1 failed=1
// cleave: expect -DT=double -DBUG paths=1 failed=1
// cleave: expect -DT='long double' -DBUG paths=1 failed=1
#include "any.h"
int main(void) {
  unsigned char n; klee_make_symbolic(&n, 1, "n");
  volatile T tenth = (T)0.1;
  T a = tenth * n, b = (T)n / 10;
#ifdef BUG
  assert(a == b);
#else
  T d = a - b;
  assert(d < (T)0.0001 && d > (T)-0.0001);
#endif
  return 1;
}
