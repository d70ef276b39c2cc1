// Code that the programmer promised cannot be reached.
//
// cleave: expect paths=2 failed=1
// cleave: bug exec
// cleave: domain x 6..8
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    __builtin_unreachable(); //~ ERROR exec
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
