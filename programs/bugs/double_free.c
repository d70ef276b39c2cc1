// A block freed twice.
//
// cleave: expect paths=2 failed=1
// cleave: bug ptr
// cleave: domain x 6..8
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    char *a = malloc(10);
    free(a);
    free(a); //~ ERROR ptr
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
