// Links of a tree as the optimiser leaves them: choices between two addresses, without a branch. Going through such
// a link is a branch again, so the paths are those of the source.
//
// cleave: flags -O1
// cleave: expect paths=13
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
