// Links of a tree as the optimiser leaves them: choices between pointers out of memory, without a branch. Where a
// choice cannot be followed to the objects that it is between, it is decided among all objects.
//
// cleave: flags -O1
// cleave: expect paths=6
// cleave: domain value 1..3
#include <klee/klee.h>
#include <stdlib.h>

struct node {
  int key;
  struct node *left, *right;
};

static void add(struct node **link, int key) {
  while (*link != NULL) {
    struct node *n = *link;
    if (key < n->key)
      link = &n->left;
    else if (key > n->key)
      link = &n->right;
    else
      return;
  }
  struct node *fresh = malloc(sizeof *fresh);
  fresh->key = key;
  fresh->left = fresh->right = NULL;
  *link = fresh;
}

int main(void) {
  struct node *root = NULL;
  for (int step = 0; step < 3; step++) {
    int value;
    klee_make_symbolic(&value, sizeof value, "value");
    add(&root, value);
  }
  return 0;
}
