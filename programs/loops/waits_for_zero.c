// Counts an input of 32 bits down to zero before the next is read.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned n = any_unsigned();
  while (n != 0) n--;
  if (any() == 1) assert(0); //~ ERROR assert
  return 0;
}
