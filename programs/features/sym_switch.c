// A switch on a symbolic byte: four values of their own and the rest, tested in the order of the cases.
//
// cleave: expect paths=5
// cleave: domain c 0..10
#include <klee/klee.h>

static volatile int result;

int main(void) {
  unsigned char c;
  klee_make_symbolic(&c, sizeof c, "c");
  switch (c) {
    case 3: result = 1; break;
    case 1: result = 2; break;
    case 9: result = 3; break;
    case 4: result = 4; break;
    default: result = 5; break;
  }
  return 0;
}
