// Numbers from text: two digits, of which one number is 42. Zeros in front are paths of their own.
//
// cleave: expect paths=3 failed=1
#include "any.h"
#include <stdlib.h>

int main(void) {
  char s[3] = {0};
  klee_make_symbolic(s, 2, "s");
  klee_assume((s[0] >= '0') & (s[0] <= '9') & (s[1] >= '0') & (s[1] <= '9'));
  assert(strtod(s, 0) != 42);
  return 0;
}
