// An array of variable length of up to 128 KiB is one object.
//
// cleave: flags -DLIM=32767
// cleave: expect paths=1..2 failed=0
// cleave: seconds 60
#include <cleave.h>
int main(void) {
  short b = __VERIFIER_nondet_short();
  __VERIFIER_assume(b > 0 && b <= LIM);
  int f[b];
  short d = __VERIFIER_nondet_short();
  __VERIFIER_assume(d >= 0 && d < b);
  f[d] = 1;
  return f[d];
}
