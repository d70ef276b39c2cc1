// A write one element before an array on the stack.
//
// cleave: expect paths=2 failed=1
// cleave: bug ptr
// cleave: domain x 6..8
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    int a[4] = {1, 2, 3, 4};
    volatile int i = -1;
    a[i] = 5; //~ ERROR ptr
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
