// An unbalanced binary search tree of ints, shared by the oracles and by `s2pf/bintree.c`.
//
// Every search compares with `<` and then with `>`, so at each key it meets there are three outcomes.
#ifndef BST_H
#define BST_H

#include <stdlib.h>

#include "ascending.h"

struct bst_node {
  int key;
  struct bst_node *left, *right;
};

// The link that holds the node with this key, or the empty link where it belongs.
static inline struct bst_node **bst_find(struct bst_node **link, int key) {
  while (*link != NULL) {
    struct bst_node *n = *link;
    if (key < n->key)
      link = &n->left;
    else if (key > n->key)
      link = &n->right;
    else
      break;
  }
  return link;
}

// A key that is there already is left alone.
static inline void bst_add(struct bst_node **root, int key) {
  struct bst_node **link = bst_find(root, key);
  if (*link != NULL) return;
  struct bst_node *fresh = malloc(sizeof *fresh);
  fresh->key = key;
  fresh->left = fresh->right = NULL;
  *link = fresh;
}

// A node with two children is replaced by its successor.
static inline void bst_remove(struct bst_node **root, int key) {
  struct bst_node **link = bst_find(root, key);
  struct bst_node *gone = *link;
  if (gone == NULL) return;
  if (gone->left != NULL && gone->right != NULL) {
    link = &gone->right;
    while ((*link)->left != NULL) link = &(*link)->left;
    struct bst_node *successor = *link;
    gone->key = successor->key;
    gone = successor;
  }
  *link = gone->left != NULL ? gone->left : gone->right;
  free(gone);
}

// Asserts the order of the keys, in ascending order behind those of `a`. The path implies it: nothing forks.
static inline void bst_check(const struct bst_node *n, struct ascending *a) {
  if (n == NULL) return;
  bst_check(n->left, a);
  ascending(a, n->key);
  bst_check(n->right, a);
}

#endif
