// Text of a number: eighths up to MOST of them, with three digits. Which digits are there is decided by the number alone.
//
// cleave: expect -DMOST=99 paths=26
// cleave: expect -DMOST=999 paths=53
#include "any.h"
#include <stdio.h>
#include <string.h>

int main(void) {
  short n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n >= 0);
  klee_assume(n <= MOST);
  char text[32];
  snprintf(text, sizeof text, "%.3g", n / 8.0);
  return strcmp(text, "12.5") == 0;
}
