// N operations on a Fibonacci heap of symbolic ints, each an insert or a removeMin (a symbolic choice).
// The order of the comparisons is that of the Java container of the path-counting literature, written anew:
// a comparison that the path already implies does not fork, so the order decides the number of paths.
//
// cleave: expect -DN=1 paths=2
// cleave: expect -DN=2 paths=5
// cleave: expect -DN=3 paths=13
// cleave: expect -DN=4 paths=38
// cleave: expect -DN=5 paths=121
// cleave: expect -DN=6 paths=415
// cleave: domain op 0..1
// cleave: domain value 1..N
#include <klee/klee.h>
#include <stdlib.h>

#ifndef N
#define N 4
#endif

struct node {
  int key, degree;
  struct node *parent, *child, *left, *right; // siblings form a ring
};

struct heap {
  struct node *min; // a root
  int size;
};

static void ring_leave(struct node *n) {
  n->left->right = n->right;
  n->right->left = n->left;
}

// Puts `n` into the ring just right of `place`.
static void ring_join(struct node *place, struct node *n) {
  n->left = place;
  n->right = place->right;
  n->right->left = n;
  place->right = n;
}

static void insert(struct heap *h, int key) {
  struct node *fresh = malloc(sizeof *fresh);
  fresh->key = key;
  fresh->degree = 0;
  fresh->parent = fresh->child = NULL;
  fresh->left = fresh->right = fresh;
  if (h->min == NULL) {
    h->min = fresh;
  } else {
    ring_join(h->min, fresh);
    if (key < h->min->key) h->min = fresh;
  }
  h->size++;
}

// Makes the root `lower` a child of the root `upper`.
static void link_below(struct node *lower, struct node *upper) {
  ring_leave(lower);
  lower->parent = upper;
  if (upper->child == NULL) {
    lower->left = lower->right = lower;
    upper->child = lower;
  } else {
    ring_join(upper->child, lower);
  }
  upper->degree++;
}

// Links roots of equal degree until all degrees differ, then looks for the least root, by degree.
static void consolidate(struct heap *h) {
  struct node *by_degree[N + 1] = {NULL};
  int roots = 1;
  for (struct node *n = h->min->right; n != h->min; n = n->right) roots++;
  struct node *next = h->min;
  while (roots-- > 0) {
    struct node *upper = next;
    next = next->right;
    while (by_degree[upper->degree] != NULL) {
      struct node *lower = by_degree[upper->degree];
      by_degree[upper->degree] = NULL;
      if (upper->key > lower->key) {
        struct node *swapped = upper;
        upper = lower;
        lower = swapped;
      }
      link_below(lower, upper);
    }
    by_degree[upper->degree] = upper;
  }
  h->min = NULL;
  for (int degree = 0; degree <= N; degree++) {
    struct node *root = by_degree[degree];
    if (root == NULL) continue;
    if (h->min == NULL) {
      h->min = root;
    } else if (root->key < h->min->key) {
      h->min = root;
    }
  }
}

static void remove_min(struct heap *h) {
  struct node *gone = h->min;
  if (gone == NULL) return;
  struct node *child = gone->child;
  for (int i = gone->degree; i > 0; i--) {
    struct node *next = child->right;
    ring_leave(child);
    ring_join(gone, child);
    child->parent = NULL;
    child = next;
  }
  ring_leave(gone);
  if (gone->right == gone) {
    h->min = NULL;
  } else {
    h->min = gone->right;
    consolidate(h);
  }
  h->size--;
  free(gone);
}

int main(void) {
  struct heap heap = {NULL, 0};
  for (int step = 0; step < N; step++) {
    int op, value;
    klee_make_symbolic(&op, sizeof op, "op");
    klee_make_symbolic(&value, sizeof value, "value");
    if (op == 0)
      insert(&heap, value);
    else
      remove_min(&heap);
  }
  return 0;
}
