// Spaces without end may stand in front.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned char c;
  do c = any_byte();
  while (c == ' ' || c == '\t' || c == '\n');
  if (c != '#') return 0;
  do c = any_byte();
  while (c == ' ');
  assert(c != '!'); //~ ERROR assert
  return 0;
}
