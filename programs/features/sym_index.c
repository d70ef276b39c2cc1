// A symbolic index into a constant table and into a table that is written at it: no fork for the access itself.
//
// cleave: expect paths=3
// cleave: domain i 0..7
#include <klee/klee.h>

static const unsigned char constant[8] = {5, 9, 5, 1, 7, 5, 0, 9};

int main(void) {
  unsigned char i, table[8] = {0};
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 8);
  table[i] = 1;
  if (constant[i] == 5) {
    if (table[5] == 1) return 0;
    return 0;
  }
  return 0;
}
