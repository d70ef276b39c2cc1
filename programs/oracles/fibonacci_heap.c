// N operations on a Fibonacci heap of symbolic ints, each an insert or a removeMin (a symbolic choice).
// The order of the comparisons is that of the Java container of the path-counting literature, written anew:
// a comparison that the path already implies does not fork, so the order decides the number of paths.
//
// cleave: expect -DN=1 paths=2
// cleave: expect -DN=2 paths=5
// cleave: expect -DN=3 paths=13
// cleave: expect -DN=4 paths=38
// cleave: expect -DN=5 paths=121
// cleave: expect -DN=6 paths=415
// cleave: domain op 0..1
// cleave: domain value 1..N
#include <klee/klee.h>

#include "fibonacci_heap.h"

#ifndef N
#define N 4
#endif

int main(void) {
  struct fh_heap heap = {NULL, 0};
  for (int step = 0; step < N; step++) {
    int op, value;
    klee_make_symbolic(&op, sizeof op, "op");
    klee_make_symbolic(&value, sizeof value, "value");
    if (op == 0)
      fh_insert(&heap, value);
    else
      fh_remove_min(&heap);
  }
  return 0;
}
