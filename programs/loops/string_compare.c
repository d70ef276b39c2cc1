// Compares an input with itself, byte by byte, until they differ in the end.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned char a[40], b[40];
  unsigned i = 0;
  klee_make_symbolic(a, sizeof a, "a");
  klee_make_symbolic(b, sizeof b, "b");
  while (i < 40 && a[i] == b[i]) i++;
  if (i >= 40)
    for (;;) continue;
  assert(!(i == 2 && a[i] == 'q')); //~ ERROR assert
  return 0;
}
