// A number that is printed costs nothing: the assertion behind it is seen with the first paths.
// cleave: expect paths=1 failed=1
// cleave: seconds 20
/* What people write first: print the number, then look at it. */
#include <assert.h>
#include <stdio.h>
#include <cleave.h>

int main(void) {
  float x = __VERIFIER_nondet_float();
  __VERIFIER_assume(x > 0.0f && x < 100.0f);
  printf("x = %f\n", x);
  assert(x < 99.5f); //~ ERROR assert
  return 0;
}
