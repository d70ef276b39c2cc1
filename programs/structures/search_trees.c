// All binary search trees of exactly N nodes over the keys 1 .. N. Pointers are inputs (null, a node, or a new node) and keys
// are symbolic ints, chosen when they are read first; repOK refuses what is no search tree or has another size. N
// different keys out of N leave one way to label a shape: the Catalan number of N, OEIS A000108.
//
// cleave: expect -DN=1 paths=1
// cleave: expect -DN=2 paths=2
// cleave: expect -DN=3 paths=5
// cleave: expect -DN=4 paths=14
// cleave: expect -DN=5 paths=42
// cleave: expect -DN=6 paths=132
// cleave: expect -DN=7 paths=429
// cleave: expect -DN=8 paths=1430
// cleave: domain nodes 0..N
// cleave: domain key 0..N
#include "tree.h"

static int repOK(struct node *root) { return is_tree(root) && is_ordered(root, 0, N + 1); }

int main(void) {
  struct node *root = CLEAVE_CHOOSE(nodes);
  cleave_require(repOK(root));
  print(root);
  return 0;
}
