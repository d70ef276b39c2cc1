// Adds inputs for ever until the sum is wrong.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned sum = 0;
  for (;;) {
    unsigned char x = any_byte();
    if (x > 9) continue;
    sum += x;
    assert(sum != 21); //~ ERROR assert
  }
}
