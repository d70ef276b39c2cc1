// A divisor becomes zero in an endless loop.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  int divisor = 3;
  volatile int result = 0;
  for (;;) {
    int x = any();
    if (x == 11 && divisor > 0) divisor--;
    if (x == 12) divisor = 3;
    assert(divisor != 0); //~ ERROR assert
    result = 100 / divisor;
  }
}
