// N adds of symbolic ints to an unbalanced binary search tree; a key that is there already is left alone.
// A path is one weak order of the keys: the ordered Bell numbers, OEIS A000670.
//
// cleave: expect -DN=1 paths=1
// cleave: expect -DN=2 paths=3
// cleave: expect -DN=3 paths=13
// cleave: expect -DN=4 paths=75
// cleave: expect -DN=5 paths=541
// cleave: expect -DN=6 paths=4683
// cleave: expect -DN=7 paths=47293
// cleave: domain value 1..N
#include <klee/klee.h>

#include "bst.h"

#ifndef N
#define N 4
#endif

int main(void) {
  struct bst_node *root = NULL;
  for (int step = 0; step < N; step++) {
    int value;
    klee_make_symbolic(&value, sizeof value, "value");
    bst_add(&root, value);
  }
  return 0;
}
