// A timer that an input may set back for ever.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned left = 5;
  while (left > 0) {
    if (any() & 1) left = 5;
    else left--;
  }
  assert(any() != 0x1234); //~ ERROR assert
  return 0;
}
