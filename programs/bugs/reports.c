// An error that the program reports by the intrinsic.
//
// cleave: expect paths=2 failed=1
// cleave: bug report_error
// cleave: domain x 6..8
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    klee_report_error(__FILE__, __LINE__, "seven is not allowed", "report_error"); //~ ERROR report_error
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
