// A red-black tree of ints with parent links, shared by the three red-black oracles and by `s2pf/treemap.c`.
//
// Every search compares with `<` and then with `>`, so at each key it meets there are three outcomes. All
// tests on colours and shapes are concrete.
#ifndef RB_TREE_H
#define RB_TREE_H

#include <assert.h>
#include <stdlib.h>

#include "ascending.h"

enum rb_colour { RB_RED, RB_BLACK };

struct rb_node {
  int key, value;
  enum rb_colour colour;
  struct rb_node *parent, *child[2]; // child[0] holds the smaller keys
};

struct rb_tree {
  struct rb_node *root;
};

// No node counts as black.
static inline enum rb_colour rb_colour_of(const struct rb_node *n) {
  return n == NULL ? RB_BLACK : n->colour;
}

static inline int rb_side(const struct rb_node *n) { return n->parent->child[1] == n; }

static inline struct rb_node *rb_find(const struct rb_tree *t, int key) {
  struct rb_node *n = t->root;
  while (n != NULL) {
    if (key < n->key)
      n = n->child[0];
    else if (key > n->key)
      n = n->child[1];
    else
      return n;
  }
  return NULL;
}

// Puts `fresh`, which may be null, where `old` hangs.
static inline void rb_replace(struct rb_tree *t, struct rb_node *old, struct rb_node *fresh) {
  if (old->parent == NULL)
    t->root = fresh;
  else
    old->parent->child[rb_side(old)] = fresh;
  if (fresh != NULL) fresh->parent = old->parent;
}

// Lets `n` sink to the given side; its child of the other side takes its place.
static inline void rb_rotate(struct rb_tree *t, struct rb_node *n, int side) {
  struct rb_node *up = n->child[!side];
  rb_replace(t, n, up);
  n->child[!side] = up->child[side];
  if (n->child[!side] != NULL) n->child[!side]->parent = n;
  up->child[side] = n;
  n->parent = up;
}

static inline void rb_repair_put(struct rb_tree *t, struct rb_node *n) {
  while (n->parent != NULL && n->parent->colour == RB_RED) {
    struct rb_node *parent = n->parent, *grand = parent->parent;
    int side = rb_side(parent);
    struct rb_node *uncle = grand->child[!side];
    if (rb_colour_of(uncle) == RB_RED) {
      parent->colour = uncle->colour = RB_BLACK;
      grand->colour = RB_RED;
      n = grand;
      continue;
    }
    if (rb_side(n) != side) {
      rb_rotate(t, parent, side);
      parent = n;
    }
    parent->colour = RB_BLACK;
    grand->colour = RB_RED;
    rb_rotate(t, grand, !side);
    break;
  }
  t->root->colour = RB_BLACK;
}

// An equal key keeps its node and has its value replaced.
static inline void rb_put(struct rb_tree *t, int key, int value) {
  struct rb_node *parent = NULL, *n = t->root;
  int side = 0;
  while (n != NULL) {
    parent = n;
    if (key < n->key) {
      side = 0;
    } else if (key > n->key) {
      side = 1;
    } else {
      n->value = value;
      return;
    }
    n = n->child[side];
  }
  struct rb_node *fresh = malloc(sizeof *fresh);
  fresh->key = key;
  fresh->value = value;
  fresh->colour = RB_RED;
  fresh->parent = parent;
  fresh->child[0] = fresh->child[1] = NULL;
  if (parent == NULL)
    t->root = fresh;
  else
    parent->child[side] = fresh;
  rb_repair_put(t, fresh);
}

// The subtree at `parent->child[side]` lacks one black node.
static inline void rb_repair_remove(struct rb_tree *t, struct rb_node *parent, int side) {
  while (parent != NULL && rb_colour_of(parent->child[side]) == RB_BLACK) {
    struct rb_node *sibling = parent->child[!side];
    if (sibling->colour == RB_RED) {
      sibling->colour = RB_BLACK;
      parent->colour = RB_RED;
      rb_rotate(t, parent, side);
      sibling = parent->child[!side];
    }
    if (rb_colour_of(sibling->child[0]) == RB_BLACK && rb_colour_of(sibling->child[1]) == RB_BLACK) {
      sibling->colour = RB_RED;
      struct rb_node *up = parent->parent;
      if (up == NULL) return;
      if (parent->colour == RB_RED) {
        parent->colour = RB_BLACK;
        return;
      }
      side = rb_side(parent);
      parent = up;
      continue;
    }
    if (rb_colour_of(sibling->child[!side]) == RB_BLACK) {
      sibling->child[side]->colour = RB_BLACK;
      sibling->colour = RB_RED;
      rb_rotate(t, sibling, !side);
      sibling = parent->child[!side];
    }
    sibling->colour = parent->colour;
    parent->colour = RB_BLACK;
    sibling->child[!side]->colour = RB_BLACK;
    rb_rotate(t, parent, side);
    return;
  }
  if (parent != NULL) parent->child[side]->colour = RB_BLACK;
}

static inline void rb_remove(struct rb_tree *t, int key) {
  struct rb_node *gone = rb_find(t, key);
  if (gone == NULL) return;
  if (gone->child[0] != NULL && gone->child[1] != NULL) {
    struct rb_node *successor = gone->child[1];
    while (successor->child[0] != NULL) successor = successor->child[0];
    gone->key = successor->key;
    gone->value = successor->value;
    gone = successor;
  }
  struct rb_node *parent = gone->parent;
  int side = parent == NULL ? 0 : rb_side(gone);
  struct rb_node *only = gone->child[0] != NULL ? gone->child[0] : gone->child[1];
  rb_replace(t, gone, only);
  if (gone->colour == RB_BLACK) {
    if (only != NULL)
      only->colour = RB_BLACK; // a black node with one child has a red one
    else
      rb_repair_remove(t, parent, side);
  }
  free(gone);
}

// The black height; asserts what makes the tree red-black. Looks at shape and colour only, so it never forks.
static inline int rb_check(const struct rb_node *n) {
  if (n == NULL) return 1;
  int left = rb_check(n->child[0]), right = rb_check(n->child[1]);
  assert(left == right);
  if (n->colour == RB_RED) {
    assert(rb_colour_of(n->child[0]) == RB_BLACK && rb_colour_of(n->child[1]) == RB_BLACK);
    return left;
  }
  return left + 1;
}

// Asserts the order of the keys, in ascending order behind those of `a`. The path implies it: nothing forks.
static inline void rb_check_order(const struct rb_node *n, struct ascending *a) {
  if (n == NULL) return;
  rb_check_order(n->child[0], a);
  ascending(a, n->key);
  rb_check_order(n->child[1], a);
}

#endif
