// A write through a pointer made of an input: wherever it points, no object is there.
//
// cleave: expect paths=2 failed=1
// cleave: bug ptr
// cleave: domain x 6..8
#include <klee/klee.h>
#include <stdint.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    int *p = (int *)(uintptr_t)((unsigned)x * 8);
    *p = 1; //~ ERROR ptr
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
