// A read of a variable of a function that has returned.
//
// cleave: expect paths=2 failed=1
// cleave: bug ptr
// cleave: domain x 6..8
#include <klee/klee.h>

static volatile int sink;

static int *volatile kept;

static void keep(void) {
  int local[4] = {1, 2, 3, 4};
  kept = local;
}

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    keep();
    sink = kept[1]; //~ ERROR ptr
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
