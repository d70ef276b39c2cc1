// All binary trees of exactly N nodes. Pointers are inputs (null, a node, or a new node), chosen when they are read first;
// repOK refuses what is no tree or has another size. One path a tree: the Catalan number of N, OEIS A000108.
// The second experiment of ParSym (Siddiqui, Khurshid 2010), Table Ib.
//
// cleave: expect -DN=1 paths=1
// cleave: expect -DN=2 paths=2
// cleave: expect -DN=3 paths=5
// cleave: expect -DN=4 paths=14
// cleave: expect -DN=5 paths=42
// cleave: expect -DN=6 paths=132
// cleave: expect -DN=7 paths=429
// cleave: expect -DN=8 paths=1430
// cleave: expect -DN=9 paths=4862
// cleave: expect -DN=10 paths=16796
// cleave: domain nodes 0..N
#include "tree.h"

static int repOK(struct node *root) { return is_tree(root); }

int main(void) {
  struct node *root = CLEAVE_CHOOSE(nodes);
  cleave_require(repOK(root));
  print(root);
  return 0;
}
