// Counts to an input before it looks at it.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned n = any_unsigned(), i = 0;
  while (i < n) i++;
  assert(i != 7); //~ ERROR assert
  return 0;
}
