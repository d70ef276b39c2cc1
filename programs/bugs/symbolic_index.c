// A symbolic index that may be one too large: one path inside of the array, one outside.
//
// cleave: expect paths=2 failed=1
// cleave: bug ptr
// cleave: domain x 0..5
#include <klee/klee.h>

static int a[4] = {1, 2, 3, 4};
static volatile int sink;

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x > 4) return 0;
  sink = a[x]; //~ ERROR ptr
  return 0;
}
