// A number of any length is read before it is judged.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned n = 0;
  for (;;) {
    unsigned char c = any_byte();
    if (c < '0' || c > '9') break;
    n = n * 10 + (c - '0');
  }
  assert(n != 42); //~ ERROR assert
  return 0;
}
