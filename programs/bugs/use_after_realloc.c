// A write to a block that has been moved by realloc.
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
    int *a = malloc(4 * sizeof *a);
    int *b = realloc(a, 4096 * sizeof *b);
    if (b != NULL && b != a) a[1] = 1; //~ ERROR ptr
    free(b);
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
