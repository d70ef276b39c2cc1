// A message of 32 bytes is summed byte by byte, with a branch each, before its type is looked at.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned char m[32];
  unsigned sum = 0;
  klee_make_symbolic(m, sizeof m, "m");
  for (int i = 1; i < 32; i++) sum += m[i] > 127 ? 2u : 1u;
  if (m[0] == 'T') assert(sum == 0); //~ ERROR assert
  return 0;
}
