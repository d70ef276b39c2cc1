// A read one element past an array on the stack.
//
// cleave: expect paths=2 failed=1
// cleave: bug ptr
// cleave: domain x 6..8
#include <klee/klee.h>

static volatile int sink;

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    int a[4] = {1, 2, 3, 4};
    volatile int i = 4;
    sink = a[i]; //~ ERROR ptr
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
