// S2PF's FibHeap: N operations on a Fibonacci heap, each an insert, a delete or a find of a value, or a removeMin, by a
// symbolic choice; after each the heap's order is checked.
// Counts enumerated natively (check/).
//
// cleave: expect -DN=1 paths=4
// cleave: expect -DN=2 paths=19
// cleave: expect -DN=3 paths=104
// cleave: expect -DN=4 paths=655
// cleave: expect -DN=5 paths=4724
// cleave: expect -DN=6 paths=38625
// cleave: domain op 0..3
// cleave: domain value 1..N
#include "../oracles/fibonacci_heap.h"
#include "symbolic.h"

#ifndef N
#define N 6
#endif

int main(void) {
  struct fh_heap heap = {NULL, 0};
  for (int step = 0; step < N; step++) {
    int op = symbolic("op");
    if (op == 0)
      fh_insert(&heap, symbolic("value"));
    else if (op == 1)
      fh_delete(&heap, symbolic("value"));
    else if (op == 2)
      fh_remove_min(&heap);
    else
      (void)fh_find(heap.min, symbolic("value"));
    fh_check(&heap);
  }
  return 0;
}
