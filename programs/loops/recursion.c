// A recursion as deep as an input says, bounded by the stack only.
//
// cleave: bug assert
#include "any.h"

static unsigned deep(unsigned n) { return n == 0 ? 0 : 1 + deep(n - 1); }
int main(void) {
  unsigned n = any_unsigned();
  if (n > 100000) return 0;
  unsigned d = deep(n);
  assert(d != 4); //~ ERROR assert
  return 0;
}
