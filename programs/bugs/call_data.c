// A call through a pointer to data.
//
// cleave: expect paths=2 failed=1
// cleave: bug exec
// cleave: domain x 6..8
#include <klee/klee.h>

static int data[4] = {1, 2, 3, 4};

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    void (*volatile f)(void) = (void (*)(void))(void *)data;
    f(); //~ ERROR exec
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
