// All strictly sorted linked lists of exactly N values out of 1 .. K. Pointers are inputs (null, a node, or a new node) and each
// value is a choice with a path of its own, made when it is read first; repOK refuses what is cyclic, unsorted or
// has another length. The binomial coefficient K over N.
//
// cleave: expect -DN=1 -DK=12 paths=12
// cleave: expect -DN=2 -DK=12 paths=66
// cleave: expect -DN=3 -DK=12 paths=220
// cleave: expect -DN=4 -DK=12 paths=495
// cleave: expect -DN=5 -DK=12 paths=792
// cleave: expect -DN=6 -DK=12 paths=924
// cleave: expect -DN=7 -DK=12 paths=792
// cleave: expect -DN=8 -DK=12 paths=495
// cleave: domain nodes 0..N
// cleave: domain value 0..K
#include <cleave/structures.h>
#include <stdio.h>

#ifndef N
#define N 5
#endif
#ifndef K
#define K 12
#endif

struct node {
  int value;
  struct node *next;
};

CLEAVE_POOL(nodes, struct node, N)

static int repOK(struct node *list) {
  unsigned seen = 0;
  int last = 0;
  for (struct node *n = list; n != NULL; n = CLEAVE_LAZY(nodes, &n->next)) {
    if (CLEAVE_COUNT(nodes) != ++seen) return 0;
    if (CLEAVE_FIRST(nodes, &n->value)) n->value = 1 + (int)cleave_choice(K, "value");
    if (n->value <= last) return 0;
    last = n->value;
  }
  return seen == N;
}

int main(void) {
  struct node *list = CLEAVE_CHOOSE(nodes);
  cleave_require(repOK(list));
  for (const struct node *n = list; n != NULL; n = n->next) putchar('a' + n->value);
  return 0;
}
