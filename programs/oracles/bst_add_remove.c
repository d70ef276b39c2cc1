// N operations, each an add or a remove (a symbolic choice) of a symbolic int, on an unbalanced binary search
// tree. A node with two children is replaced by its successor. With k keys there, a key falls into one of
// k + 1 gaps or on one of k keys, whatever the shape: 2^N N! paths.
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
#include <stdlib.h>

#ifndef N
#define N 3
#endif

struct node {
  int key;
  struct node *left, *right;
};

// The link that holds the node with this key, or the empty link where it belongs.
static struct node **find(struct node **link, int key) {
  while (*link != NULL) {
    struct node *n = *link;
    if (key < n->key)
      link = &n->left;
    else if (key > n->key)
      link = &n->right;
    else
      break;
  }
  return link;
}

static void add(struct node **root, int key) {
  struct node **link = find(root, key);
  if (*link != NULL) return;
  struct node *fresh = malloc(sizeof *fresh);
  fresh->key = key;
  fresh->left = fresh->right = NULL;
  *link = fresh;
}

static void remove_key(struct node **root, int key) {
  struct node **link = find(root, key);
  struct node *gone = *link;
  if (gone == NULL) return;
  if (gone->left != NULL && gone->right != NULL) {
    link = &gone->right;
    while ((*link)->left != NULL) link = &(*link)->left;
    struct node *successor = *link;
    gone->key = successor->key;
    gone = successor;
  }
  *link = gone->left != NULL ? gone->left : gone->right;
  free(gone);
}

int main(void) {
  struct node *root = NULL;
  for (int step = 0; step < N; step++) {
    int op, value;
    klee_make_symbolic(&op, sizeof op, "op");
    klee_make_symbolic(&value, sizeof value, "value");
    if (op == 0)
      add(&root, value);
    else
      remove_key(&root, value);
  }
  return 0;
}
