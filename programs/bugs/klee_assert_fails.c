// An assertion of the intrinsics that fails.
//
// cleave: expect paths=2 failed=1
// cleave: bug assert
// cleave: domain x 6..8
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    klee_assert(x < 7); //~ ERROR assert
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
