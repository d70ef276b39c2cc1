// A read through a pointer that was never the address of an object.
//
// cleave: expect paths=2 failed=1
// cleave: bug ptr
// cleave: domain x 6..8
#include <klee/klee.h>
#include <stdint.h>

static volatile int sink;

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    int *volatile p = (int *)(uintptr_t)0x123456789abc;
    sink = *p; //~ ERROR ptr
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
