// A read through a null pointer.
//
// cleave: expect paths=2 failed=1
// cleave: bug ptr
// cleave: domain x 6..8
#include <klee/klee.h>
#include <stddef.h>

static volatile int sink;

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    int *volatile p = NULL;
    sink = *p; //~ ERROR ptr
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
