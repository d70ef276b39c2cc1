// N operations on a red-black tree, each a put or a remove (a symbolic choice) of a symbolic int.
// With k keys there, a key falls into one of k + 1 gaps or on one of k keys: 2^N N! paths.
//
// cleave: expect -DN=1 paths=2
// cleave: expect -DN=2 paths=8
// cleave: expect -DN=3 paths=48
// cleave: expect -DN=4 paths=384
// cleave: expect -DN=5 paths=3840
// cleave: expect -DN=6 paths=46080
// cleave: domain op 0..1
// cleave: domain value 1..N
#include <klee/klee.h>

#include "rb_tree.h"

#ifndef N
#define N 3
#endif

int main(void) {
  struct rb_tree tree = {NULL};
  for (int step = 0; step < N; step++) {
    int op, value;
    klee_make_symbolic(&op, sizeof op, "op");
    klee_make_symbolic(&value, sizeof value, "value");
    if (op == 0)
      rb_put(&tree, value, step);
    else
      rb_remove(&tree, value);
  }
  rb_check(tree.root);
  return 0;
}
