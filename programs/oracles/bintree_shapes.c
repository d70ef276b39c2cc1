// All binary trees of exactly N nodes, by bounded exhaustive generation: nodes are placed in preorder, and
// whether a child is there is a symbolic choice wherever both answers can still lead to N nodes.
// So each completed path is one valid tree: the Catalan number of N.
//
// cleave: expect -DN=1 paths=1
// cleave: expect -DN=2 paths=2
// cleave: expect -DN=3 paths=5
// cleave: expect -DN=4 paths=14
// cleave: expect -DN=5 paths=42
// cleave: expect -DN=6 paths=132
// cleave: expect -DN=7 paths=429
// cleave: expect -DN=8 paths=1430
// cleave: expect -DN=9 paths=4862
// cleave: expect -DN=10 paths=16796
// cleave: domain present 0..1
#include <assert.h>
#include <klee/klee.h>
#include <stddef.h>

#ifndef N
#define N 5
#endif

struct node {
  struct node *left, *right;
};

struct builder {
  struct node pool[N];
  int used;      // nodes placed
  int undecided; // child links not yet decided, the one at hand included
};

static struct node *build(struct builder *b);

// Decides one child link; forks only where both decisions are open.
static struct node *build_child(struct builder *b) {
  int must_be_empty = b->used == N;
  int must_be_there = b->undecided == 1;
  if (must_be_empty) {
    b->undecided--;
    return NULL;
  }
  if (!must_be_there) {
    int present;
    klee_make_symbolic(&present, sizeof present, "present");
    if (!present) {
      b->undecided--;
      return NULL;
    }
  }
  b->undecided--;
  return build(b);
}

static struct node *build(struct builder *b) {
  struct node *n = &b->pool[b->used++];
  b->undecided += 2;
  n->left = build_child(b);
  n->right = build_child(b);
  return n;
}

static int count(const struct node *n) {
  return n == NULL ? 0 : 1 + count(n->left) + count(n->right);
}

int main(void) {
  struct builder b = {.used = 0, .undecided = 0};
  assert(count(build(&b)) == N);
  return 0;
}
