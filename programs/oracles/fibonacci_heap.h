// A Fibonacci heap of ints, shared by the oracle and by `s2pf/fibheap.c`. The order of the comparisons is that of
// the Java container of the path-counting literature, written anew: a comparison that the path already implies
// does not fork, so the order decides the number of paths.
#ifndef FIBONACCI_HEAP_H
#define FIBONACCI_HEAP_H

#include <assert.h>
#include <stdlib.h>

enum { FH_DEGREES = 16 }; // degrees that occur with up to 1596 nodes

struct fh_node {
  int key, degree;
  int marked; // has lost a child since it became a child itself
  struct fh_node *parent, *child, *left, *right; // siblings form a ring
};

struct fh_heap {
  struct fh_node *min; // a root
  int size;
};

static inline void fh_ring_leave(struct fh_node *n) {
  n->left->right = n->right;
  n->right->left = n->left;
}

// Puts `n` into the ring just right of `place`.
static inline void fh_ring_join(struct fh_node *place, struct fh_node *n) {
  n->left = place;
  n->right = place->right;
  n->right->left = n;
  place->right = n;
}

static inline void fh_insert(struct fh_heap *h, int key) {
  struct fh_node *fresh = malloc(sizeof *fresh);
  fresh->key = key;
  fresh->degree = fresh->marked = 0;
  fresh->parent = fresh->child = NULL;
  fresh->left = fresh->right = fresh;
  if (h->min == NULL) {
    h->min = fresh;
  } else {
    fh_ring_join(h->min, fresh);
    if (key < h->min->key) h->min = fresh;
  }
  h->size++;
}

// Makes the root `lower` a child of the root `upper`.
static inline void fh_link_below(struct fh_node *lower, struct fh_node *upper) {
  fh_ring_leave(lower);
  lower->parent = upper;
  if (upper->child == NULL) {
    lower->left = lower->right = lower;
    upper->child = lower;
  } else {
    fh_ring_join(upper->child, lower);
  }
  upper->degree++;
  lower->marked = 0;
}

// Links roots of equal degree until all degrees differ, then looks for the least root, by degree.
static inline void fh_consolidate(struct fh_heap *h) {
  struct fh_node *by_degree[FH_DEGREES] = {NULL};
  int roots = 1;
  for (struct fh_node *n = h->min->right; n != h->min; n = n->right) roots++;
  struct fh_node *next = h->min;
  while (roots-- > 0) {
    struct fh_node *upper = next;
    next = next->right;
    while (by_degree[upper->degree] != NULL) {
      struct fh_node *lower = by_degree[upper->degree];
      by_degree[upper->degree] = NULL;
      if (upper->key > lower->key) {
        struct fh_node *swapped = upper;
        upper = lower;
        lower = swapped;
      }
      fh_link_below(lower, upper);
    }
    by_degree[upper->degree] = upper;
  }
  h->min = NULL;
  for (int degree = 0; degree < FH_DEGREES; degree++) {
    struct fh_node *root = by_degree[degree];
    if (root == NULL) continue;
    if (h->min == NULL) {
      h->min = root;
    } else if (root->key < h->min->key) {
      h->min = root;
    }
  }
}

static inline void fh_remove_min(struct fh_heap *h) {
  struct fh_node *gone = h->min;
  if (gone == NULL) return;
  struct fh_node *child = gone->child;
  for (int i = gone->degree; i > 0; i--) {
    struct fh_node *next = child->right;
    fh_ring_leave(child);
    fh_ring_join(gone, child);
    child->parent = NULL;
    child = next;
  }
  fh_ring_leave(gone);
  if (gone->right == gone) {
    h->min = NULL;
  } else {
    h->min = gone->right;
    fh_consolidate(h);
  }
  h->size--;
  free(gone);
}

// Searches a ring of siblings: each node first, then its children, then the next.
static inline struct fh_node *fh_find(struct fh_node *ring, int key) {
  if (ring == NULL) return NULL;
  struct fh_node *n = ring;
  do {
    if (n->key == key) return n;
    struct fh_node *below = fh_find(n->child, key);
    if (below != NULL) return below;
    n = n->right;
  } while (n != ring);
  return NULL;
}

// Makes `n` a root.
static inline void fh_cut(struct fh_heap *h, struct fh_node *n) {
  struct fh_node *parent = n->parent;
  parent->degree--;
  if (parent->degree == 0)
    parent->child = NULL;
  else if (parent->child == n)
    parent->child = n->right;
  fh_ring_leave(n);
  fh_ring_join(h->min, n);
  n->parent = NULL;
  n->marked = 0;
}

// Cuts `n` off, and each ancestor that loses its second child by that.
static inline void fh_cut_cascading(struct fh_heap *h, struct fh_node *n) {
  struct fh_node *parent = n->parent;
  fh_cut(h, n);
  while (parent->parent != NULL && parent->marked) {
    n = parent;
    parent = n->parent;
    fh_cut(h, n);
  }
  if (parent->parent != NULL) parent->marked = 1;
}

// Lowers the key of `n`; a greater one is refused.
static inline void fh_decrease(struct fh_heap *h, struct fh_node *n, int key) {
  if (key > n->key) return;
  n->key = key;
  if (n->parent != NULL && n->key < n->parent->key) fh_cut_cascading(h, n);
  if (n->key < h->min->key) h->min = n;
}

// Removes a node with this key, if there is one.
static inline void fh_delete(struct fh_heap *h, int key) {
  struct fh_node *n = fh_find(h->min, key);
  if (n == NULL) return;
  if (n->parent != NULL) fh_cut_cascading(h, n);
  h->min = n;
  fh_remove_min(h);
}

// Asserts that no child's key is below its parent's, and that the minimum is one. Every test is implied by the path,
// so none forks.
static inline void fh_check_ring(const struct fh_node *ring, const int *above) {
  if (ring == NULL) return;
  const struct fh_node *n = ring;
  do {
    assert(above == NULL || *above <= n->key);
    fh_check_ring(n->child, &n->key);
    n = n->right;
  } while (n != ring);
}

static inline void fh_check(const struct fh_heap *h) {
  if (h->min != NULL) fh_check_ring(h->min, &h->min->key);
}

#endif
