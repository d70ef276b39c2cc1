// The middle one of three ints: the running example of the mission's papers.
//
// cleave: expect paths=6
// cleave: domain value 1..3
#include <klee/klee.h>

static volatile int result;

static int middle(int x, int y, int z) {
  if (x < y) {
    if (y < z) return y;
    if (x < z) return z;
    return x;
  }
  if (x < z) return x;
  if (y < z) return z;
  return y;
}

int main(void) {
  int x, y, z;
  klee_make_symbolic(&x, sizeof x, "value");
  klee_make_symbolic(&y, sizeof y, "value");
  klee_make_symbolic(&z, sizeof z, "value");
  result = middle(x, y, z);
  return 0;
}
