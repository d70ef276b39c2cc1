// Assumptions that the path refutes: in the open, through a function, of a constant, and by several conditions
// together. Such a path is assumed away at every -O; natively no input is left for it.
//
// cleave: expect paths=3 assumed=5
// cleave: levels -O0 -O2
#include <assert.h>
#include <klee/klee.h>

__attribute__((noinline)) static void is(unsigned x, unsigned y) {
  klee_assume(x == y);
}

int main(void) {
  unsigned x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  switch (x) {
  case 1: // the path says so in the open
    klee_assume(x == 5);
    assert(0);
  case 2: // behind a call
    is(x, 5);
    assert(0);
  case 3: // a constant
    klee_assume(0);
    assert(0);
  case 4: // only a search finds out
    klee_assume(y * y == 3);
    assert(0);
  case 5: // two conditions that exclude each other
    klee_assume(y > 10);
    klee_assume(y < 7);
    assert(0);
  case 6: // one that holds, and one that some inputs satisfy
    is(x, 6);
    klee_assume(y == 77);
    assert(y == 77);
    return 6;
  case 7: // half of the inputs are assumed away, and so no path
    klee_assume(y & 1);
    return y & 2 ? 7 : 8;
  }
  return 0;
}
