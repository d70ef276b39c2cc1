// A binomial heap of ints, shared by the two binomial-heap oracles and by `s2pf/binheap.c`.
//
// The operations and the order of their comparisons are those of the Java container that the path-counting
// literature uses; written anew in C. Which comparisons are made, and in what order, decides the number of
// paths: a comparison that the path already implies does not fork. Tests on degrees and links are concrete.
#ifndef BINOMIAL_HEAP_H
#define BINOMIAL_HEAP_H

#include <assert.h>
#include <stdlib.h>

struct bh_node {
  int key;
  int degree;
  struct bh_node *parent, *sibling, *child;
};

struct bh_heap {
  struct bh_node *roots; // by ascending degree
};

// Merges the root list `other` into the heap's, by degree. A root of `other` goes behind a root of its degree.
static inline void bh_merge(struct bh_heap *h, struct bh_node *other) {
  struct bh_node **link = &h->roots;
  while (other != NULL) {
    while (*link != NULL && (*link)->degree < other->degree) link = &(*link)->sibling;
    if (*link != NULL && (*link)->degree == other->degree) link = &(*link)->sibling;
    struct bh_node *next = other->sibling;
    other->sibling = *link;
    *link = other;
    link = &other->sibling;
    other = next;
  }
}

// Makes `lower` the first child of `upper`.
static inline void bh_link(struct bh_node *upper, struct bh_node *lower) {
  lower->parent = upper;
  lower->sibling = upper->child;
  upper->child = lower;
  upper->degree++;
}

static inline void bh_union(struct bh_heap *h, struct bh_node *other) {
  bh_merge(h, other);
  struct bh_node **link = &h->roots;
  while ((*link)->sibling != NULL) {
    struct bh_node *here = *link, *next = here->sibling;
    int three_in_a_row = next->sibling != NULL && next->sibling->degree == here->degree;
    if (here->degree != next->degree || three_in_a_row) {
      link = &here->sibling;
    } else if (here->key <= next->key) {
      here->sibling = next->sibling;
      bh_link(here, next);
    } else {
      *link = next;
      bh_link(next, here);
    }
  }
}

// Only values above zero are inserted.
static inline void bh_insert(struct bh_heap *h, int value) {
  if (value <= 0) return;
  struct bh_node *fresh = malloc(sizeof *fresh);
  fresh->key = value;
  fresh->degree = 0;
  fresh->parent = fresh->sibling = fresh->child = NULL;
  if (h->roots == NULL)
    h->roots = fresh;
  else
    bh_union(h, fresh);
}

// The link that holds the first of the roots with the least key. The heap is not empty.
static inline struct bh_node **bh_min_link(struct bh_heap *h) {
  struct bh_node **best = &h->roots;
  for (struct bh_node **link = &(*best)->sibling; *link != NULL; link = &(*link)->sibling)
    if ((*link)->key < (*best)->key) best = link;
  return best;
}

static inline void bh_extract_min(struct bh_heap *h) {
  if (h->roots == NULL) return;
  struct bh_node **link = bh_min_link(h), *gone = *link;
  *link = gone->sibling;
  // Children stand by descending degree: turn them round.
  struct bh_node *orphans = NULL, *child = gone->child;
  while (child != NULL) {
    struct bh_node *next = child->sibling;
    child->parent = NULL;
    child->sibling = orphans;
    orphans = child;
    child = next;
  }
  free(gone);
  if (h->roots == NULL)
    h->roots = orphans;
  else if (orphans != NULL)
    bh_union(h, orphans);
}

// Searches a list of siblings: each node first, then its children, then the next.
static inline struct bh_node *bh_find(struct bh_node *n, int key) {
  while (n != NULL) {
    if (n->key == key) return n;
    struct bh_node *below = bh_find(n->child, key);
    if (below != NULL) return below;
    n = n->sibling;
  }
  return NULL;
}

static inline void bh_decrease(struct bh_node *n, int key) {
  n->key = key;
  while (n->parent != NULL && n->key < n->parent->key) {
    int swapped = n->key;
    n->key = n->parent->key;
    n->parent->key = swapped;
    n = n->parent;
  }
}

// Decreases the value's key below the minimum and extracts that.
static inline void bh_delete(struct bh_heap *h, int value) {
  struct bh_node *n = bh_find(h->roots, value);
  if (n == NULL) return;
  bh_decrease(n, (*bh_min_link(h))->key - 1);
  bh_extract_min(h);
}

// Asserts that no child's key is below its parent's. Every test is implied by the path, so none forks.
static inline void bh_check(const struct bh_node *siblings) {
  for (const struct bh_node *n = siblings; n != NULL; n = n->sibling) {
    assert(n->parent == NULL || n->parent->key <= n->key);
    bh_check(n->child);
  }
}

#endif
