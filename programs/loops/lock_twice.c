// A lock is taken twice on one way through an endless loop.
//
// cleave: bug assert
#include "any.h"

static int held;
static void take(void) {
  assert(!held); //~ ERROR assert
  held = 1;
}
int main(void) {
  for (;;) {
    int got = any();
    take();
    if (got == 77) {
      if (any() == 3) continue;
      held = 0;
    } else {
      held = 0;
    }
  }
}
