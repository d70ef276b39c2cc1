// Two bugs, the first of which three paths reach: it is reported once, or for each path where all are asked for.
//
// cleave: expect paths=2 failed=4
// cleave: bug abort
// cleave: bug assert
// cleave: domain x 0..2
// cleave: domain y 0..2
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

static void give_up(void) {
  abort(); //~ ERROR abort
}

int main(void) {
  int x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  int detour = 0;
  if (y == 0)
    detour = 1;
  else if (y == 1)
    detour = 2;
  if (x == 0) give_up();
  if (detour == 2) assert(x == 0); //~ ERROR assert
  return 0;
}
