// A greatest common divisor of two inputs.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned a = any_byte(), b = any_byte();
  while (b != 0) {
    unsigned t = a % b;
    a = b;
    b = t;
  }
  assert(a != 6); //~ ERROR assert
  return 0;
}
