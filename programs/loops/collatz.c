// Steps of the 3n + 1 sequence of an input.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned n = any_unsigned(), steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    if (++steps == 5) assert(n != 1); //~ ERROR assert
  }
  return 0;
}
