// A free of a global array.
//
// cleave: expect paths=2 failed=1
// cleave: bug free
// cleave: domain x 6..8
#include <klee/klee.h>
#include <stdlib.h>

static char a[10];

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    char *volatile p = a;
    free(p); //~ ERROR free
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
