// One side of the first branch never ends; the bug is on the other.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  int x = any(), y = any();
  if (x > 0)
    for (;;)
      if (any() == 5) y++;
  assert(y != 17); //~ ERROR assert
  return 0;
}
