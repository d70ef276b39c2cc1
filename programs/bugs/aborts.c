// A call of abort.
//
// cleave: expect paths=2 failed=1
// cleave: bug abort
// cleave: domain x 6..8
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    abort(); //~ ERROR abort
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
