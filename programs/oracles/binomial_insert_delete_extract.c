// N operations on a binomial heap, each an insert, a delete of a value or an extractMin (a symbolic choice).
//
// cleave: expect -DN=1 paths=4
// cleave: expect -DN=2 paths=18
// cleave: expect -DN=3 paths=86
// cleave: expect -DN=4 paths=450
// cleave: expect -DN=5 paths=2530
// cleave: domain op 0..2
// cleave: domain value 0..N
#include <klee/klee.h>

#include "binomial_heap.h"

#ifndef N
#define N 3
#endif

int main(void) {
  struct bh_heap heap = {NULL};
  for (int step = 0; step < N; step++) {
    int op, value;
    klee_make_symbolic(&op, sizeof op, "op");
    klee_make_symbolic(&value, sizeof value, "value");
    if (op == 0)
      bh_insert(&heap, value);
    else if (op == 1)
      bh_delete(&heap, value);
    else
      bh_extract_min(&heap);
  }
  return 0;
}
