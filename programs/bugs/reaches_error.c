// The error function of the Test-Comp rules.
//
// cleave: expect paths=2 failed=1
// cleave: bug report_error
// cleave: domain x 6..8
#include <klee/klee.h>

void reach_error(void);

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    reach_error(); //~ ERROR report_error
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
