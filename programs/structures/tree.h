// Binary trees of exactly N nodes as inputs, shared by the programs that generate trees.
#ifndef TREE_H
#define TREE_H

#include <cleave/structures.h>
#include <stdio.h>

#ifndef N
#define N 5
#endif

enum colour { BLACK, RED };

// Only what a program reads is chosen: plain trees have neither keys nor colours.
struct node {
  int key;
  enum colour colour;
  struct node *left, *right;
};

CLEAVE_POOL(nodes, struct node, N)

// Whether the nodes below are a tree of new nodes; `seen` counts the nodes so far.
static int is_below(struct node *n, unsigned *seen) {
  if (n == NULL) return 1;
  if (CLEAVE_COUNT(nodes) != ++*seen) return 0;
  return is_below(CLEAVE_LAZY(nodes, &n->left), seen) && is_below(CLEAVE_LAZY(nodes, &n->right), seen);
}

// Whether this is a tree, nothing shared and no cycle, of exactly N nodes.
static int is_tree(struct node *root) {
  unsigned seen = 0;
  return is_below(root, &seen) && seen == N;
}

// Whether the keys of a tree are in order and lie between the two. Keys are symbolic, from 1 to N.
static inline int is_ordered(struct node *n, int above, int below) {
  if (n == NULL) return 1;
  if (CLEAVE_FIRST(nodes, &n->key)) n->key = 1 + klee_range(0, N, "key");
  if (n->key <= above) return 0;
  if (n->key >= below) return 0;
  return is_ordered(n->left, above, n->key) && is_ordered(n->right, n->key, below);
}

// Prints the shape, and the colours where they were chosen: (left node right), so that no two trees look the same.
static void print(const struct node *n) {
  if (n == NULL) return;
  putchar('(');
  print(n->left);
  putchar(n->colour == RED ? 'r' : 'b');
  print(n->right);
  putchar(')');
}

#endif
