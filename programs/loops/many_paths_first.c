// 2^64 paths come before the bug.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned char bits[64];
  unsigned ones = 0;
  klee_make_symbolic(bits, sizeof bits, "bits");
  for (int i = 0; i < 64; i++)
    if (bits[i] & 1) ones++;
  int x = any();
  if (x == 99) assert(0); //~ ERROR assert
  return (int)ones;
}
