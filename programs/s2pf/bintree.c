// S2PF's BinTree: N operations on an unbalanced binary search tree, each an add or a remove, by a symbolic choice;
// after each the tree's order is checked.
// 2^N N! paths.
//
// cleave: expect -DN=1 paths=2
// cleave: expect -DN=2 paths=8
// cleave: expect -DN=3 paths=48
// cleave: expect -DN=4 paths=384
// cleave: expect -DN=5 paths=3840
// cleave: domain op 0..1
// cleave: domain value 1..N
#include "../oracles/bst.h"
#include "symbolic.h"

#ifndef N
#define N 5
#endif

int main(void) {
  struct bst_node *root = NULL;
  for (int step = 0; step < N; step++) {
    int op = symbolic("op");
    if (op == 0)
      bst_add(&root, symbolic("value"));
    else
      bst_remove(&root, symbolic("value"));
    bst_check(root, &(struct ascending){.count = 0});
  }
  return 0;
}
