// S2PF's TreeMap: N operations on a red-black tree, each a put, a remove or one that compares no keys (size), by a
// symbolic choice; after each the tree's invariants are checked.
// a(N) = 2N a(N-1) + 1 paths with a(0) = 1, OEIS A010844.
//
// cleave: expect -DN=1 paths=3
// cleave: expect -DN=2 paths=13
// cleave: expect -DN=3 paths=79
// cleave: expect -DN=4 paths=633
// cleave: expect -DN=5 paths=6331
// cleave: domain op 0..2
// cleave: domain value 1..N
#include "../oracles/rb_tree.h"
#include "symbolic.h"

#ifndef N
#define N 5
#endif

int main(void) {
  struct rb_tree tree = {NULL};
  for (int step = 0; step < N; step++) {
    int op = symbolic("op");
    if (op == 0)
      rb_put(&tree, symbolic("value"), step);
    else if (op == 1)
      rb_remove(&tree, symbolic("value"));
    rb_check(tree.root);
    rb_check_order(tree.root, &(struct ascending){.count = 0});
  }
  return 0;
}
