// A constant is made symbolic, which writes to it.
//
// cleave: expect paths=2 failed=1
// cleave: bug read_only
// cleave: domain x 6..8
#include <klee/klee.h>

static const int table[4] = {1, 2, 3, 4};
static int copy[4] = {1, 2, 3, 4};

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    klee_make_symbolic((void *)table, sizeof table, "table"); //~ ERROR read_only
  } else if (x > 7) {
    klee_make_symbolic(copy, sizeof copy, "copy");
  }
  return 0;
}
