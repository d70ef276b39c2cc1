// Nested loops, each of them to an input.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned n = any_unsigned(), m = any_unsigned(), steps = 0;
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++) steps++;
  assert(steps != 6); //~ ERROR assert
  return 0;
}
