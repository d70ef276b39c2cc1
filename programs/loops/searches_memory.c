// Looks for a byte in an input of 200 bytes, for ever if it is not there.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned char a[200];
  unsigned i = 0;
  klee_make_symbolic(a, sizeof a, "a");
  while (a[i % 200] != 'x') i++;
  assert(a[(i + 1) % 200] != 'y'); //~ ERROR assert
  return 0;
}
