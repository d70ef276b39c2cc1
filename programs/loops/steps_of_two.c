// An odd start never meets the end: the loop runs round the whole range.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned n = any_unsigned();
  unsigned x = any_unsigned();
  while (n != 6) n += 2;
  assert(x != 6); //~ ERROR assert
  return 0;
}
