// A loop without end is entered or not, and so is the next.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  int a = any(), b = any();
  while (a == 1) a = any() & 1;
  while (b == 2) b = any() & 2;
  assert(!(a == 10 && b == 20)); //~ ERROR assert
  return 0;
}
