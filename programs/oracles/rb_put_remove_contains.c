// N operations on a red-black tree, each a put, a remove or a containsKey (a symbolic choice) of a symbolic int.
//
// cleave: expect -DN=1 paths=3
// cleave: expect -DN=2 paths=15
// cleave: expect -DN=3 paths=117
// cleave: expect -DN=4 paths=1233
// cleave: expect -DN=5 paths=16227
// cleave: domain op 0..2
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
    else if (op == 1)
      rb_remove(&tree, value);
    else
      (void)rb_find(&tree, value);
  }
  rb_check(tree.root);
  return 0;
}
