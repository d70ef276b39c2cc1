// Bounded exhaustive testing: a function on a doubly linked list, tried on every list of up to 4 nodes and every node of
// it. No list is written down: pointers are inputs, and repOK says which of them make a list.
//
//     cleave run examples/structures.c
//
// `unlink_node` forgets that the last node has no next one. Each list of n nodes has one node that shows it: of the 10
// paths (1 + 2 + 3 + 4) four end in that bug, which is reported once, with an input that shows it.
#include <cleave/structures.h>

struct node {
  struct node *next, *prev;
};

CLEAVE_POOL(nodes, struct node, 4)

// Whether the nodes from `first` on are a list: each one's `prev` is the node before. A field is chosen where it is read
// first; later on, plain C reads what was chosen.
static int repOK(struct node *first) {
  struct node *last = NULL;
  for (struct node *n = first; n != NULL; n = CLEAVE_LAZY(nodes, &n->next)) {
    if (CLEAVE_LAZY(nodes, &n->prev) != last) return 0;
    last = n;
  }
  return 1;
}

static void unlink_node(struct node **first, struct node *n) {
  if (n->prev != NULL)
    n->prev->next = n->next;
  else
    *first = n->next;
  n->next->prev = n->prev; // the bug: n->next may be null
}

int main(void) {
  struct node *first = CLEAVE_CHOOSE(nodes);
  cleave_require(first != NULL && repOK(first));
  struct node *n = first;
  for (unsigned i = cleave_choice(CLEAVE_COUNT(nodes), "position"); i > 0; i--) n = n->next;
  unlink_node(&first, n);
  klee_assert(repOK(first));
  return 0;
}
