// A write one element past a global array.
//
// cleave: expect paths=2 failed=1
// cleave: bug ptr
// cleave: domain x 6..8
#include <klee/klee.h>

static int a[4] = {1, 2, 3, 4};

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    volatile int i = 4;
    a[i] = 5; //~ ERROR ptr
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
