// Numbers from text: any N characters. A number that has an exponent takes some thousand conditions on these few characters.
//
// cleave: expect -DN=2 paths=38
// cleave: expect -DN=3 paths=185
// cleave: expect -DN=4 paths=1603
#include "any.h"
#include <stdlib.h>

int main(void) {
  char s[N + 1];
  klee_make_symbolic(s, sizeof s, "s");
  klee_assume(s[N] == 0);
  double v = strtod(s, 0);
  if (v > 100) return 1;
  if (v == 0.5) return 2;
  return 0;
}
