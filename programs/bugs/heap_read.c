// A read one element past a block of the heap.
//
// cleave: expect paths=2 failed=1
// cleave: bug ptr
// cleave: domain x 6..8
#include <klee/klee.h>
#include <stdlib.h>

static volatile int sink;

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    int *a = calloc(4, sizeof *a);
    volatile int i = 4;
    sink = a[i]; //~ ERROR ptr
    free(a);
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
