// The false side of the first branch never ends.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  int x = any(), y = any();
  if (x <= 0)
    assert(y != 17); //~ ERROR assert
  else
    while (any() != y) continue;
  return 0;
}
