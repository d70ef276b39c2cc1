// A write to a constant table.
//
// cleave: expect paths=2 failed=1
// cleave: bug read_only
// cleave: domain x 6..8
#include <klee/klee.h>

static const int table[4] = {1, 2, 3, 4};

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    int *volatile p = (int *)table;
    p[1] = 5; //~ ERROR read_only
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
