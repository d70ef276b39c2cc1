// A write to a string literal.
//
// cleave: expect paths=2 failed=1
// cleave: bug read_only
// cleave: domain x 6..8
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    char *volatile p = (char *)"hello";
    p[0] = 0x48; //~ ERROR read_only
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
