// N inserts of symbolic ints into a binomial heap; only a value above zero is inserted, and that test forks.
//
// cleave: expect -DN=1 paths=2
// cleave: expect -DN=2 paths=5
// cleave: expect -DN=3 paths=12
// cleave: expect -DN=4 paths=33
// cleave: expect -DN=5 paths=94
// cleave: expect -DN=6 paths=261
// cleave: expect -DN=7 paths=696
// cleave: domain value 0..N
#include <klee/klee.h>

#include "binomial_heap.h"

#ifndef N
#define N 4
#endif

int main(void) {
  struct bh_heap heap = {NULL};
  for (int step = 0; step < N; step++) {
    int value;
    klee_make_symbolic(&value, sizeof value, "value");
    bh_insert(&heap, value);
  }
  return 0;
}
