// S2PF's BinHeap: N operations on a binomial heap, each an insert, a delete or a find of a value, or an extractMin, by
// a symbolic choice; after each the heap's order is checked.
// Counts enumerated natively (check/).
//
// cleave: expect -DN=1 paths=5
// cleave: expect -DN=2 paths=28
// cleave: expect -DN=3 paths=172
// cleave: expect -DN=4 paths=1162
// cleave: expect -DN=5 paths=8662
// cleave: expect -DN=6 paths=71330
// cleave: domain op 0..3
// cleave: domain value 0..N
#include "../oracles/binomial_heap.h"
#include "symbolic.h"

#ifndef N
#define N 6
#endif

int main(void) {
  struct bh_heap heap = {NULL};
  for (int step = 0; step < N; step++) {
    int op = symbolic("op");
    if (op == 0)
      bh_insert(&heap, symbolic("value"));
    else if (op == 1)
      bh_delete(&heap, symbolic("value"));
    else if (op == 2)
      bh_extract_min(&heap);
    else
      (void)bh_find(heap.roots, symbolic("value"));
    bh_check(heap.roots);
  }
  return 0;
}
