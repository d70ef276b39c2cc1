// Reads inputs for ever; two in a row are wrong.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  int last = 0;
  for (;;) {
    int x = any();
    if (last == 1234 && x == 4321) assert(0); //~ ERROR assert
    last = x;
  }
}
