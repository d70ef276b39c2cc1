// A call through a null function pointer.
//
// cleave: expect paths=2 failed=1
// cleave: bug exec
// cleave: domain x 6..8
#include <klee/klee.h>
#include <stddef.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    void (*volatile f)(void) = NULL;
    f(); //~ ERROR exec
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
