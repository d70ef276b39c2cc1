// All red-black trees of exactly N nodes over the keys 1 .. N, with a root of either colour. Pointers are inputs (null, a
// node, or a new node), colours a choice each, keys symbolic ints, all chosen when they are read first; repOK refuses
// what is no red-black tree or has another size. One path for each shape and colouring: OEIS A001131.
//
// cleave: expect -DN=1 paths=2
// cleave: expect -DN=2 paths=2
// cleave: expect -DN=3 paths=3
// cleave: expect -DN=4 paths=8
// cleave: expect -DN=5 paths=14
// cleave: expect -DN=6 paths=20
// cleave: expect -DN=7 paths=35
// cleave: expect -DN=8 paths=64
// cleave: domain nodes 0..N
// cleave: domain colour 0..1
// cleave: domain key 0..N
#include "tree.h"

enum { REFUSED = -1 };

// The black nodes on each way down from here to a null pointer, if no red node has a red child and ways agree.
static int black_height(struct node *n, enum colour parent) {
  if (n == NULL) return 0;
  if (CLEAVE_FIRST(nodes, &n->colour)) n->colour = cleave_choice(2, "colour");
  if (parent == RED && n->colour == RED) return REFUSED;
  int left = black_height(n->left, n->colour);
  if (left == REFUSED) return REFUSED;
  int right = black_height(n->right, n->colour);
  if (right != left) return REFUSED;
  return left + (n->colour == BLACK);
}

static int repOK(struct node *root) {
  return is_tree(root) && black_height(root, BLACK) != REFUSED && is_ordered(root, 0, N + 1);
}

int main(void) {
  struct node *root = CLEAVE_CHOOSE(nodes);
  cleave_require(repOK(root));
  print(root);
  return 0;
}
