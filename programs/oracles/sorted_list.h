// A sorted singly linked list of ints in which a value may stand more than once, shared by the oracle and by
// `s2pf/list.c`.
#ifndef SORTED_LIST_H
#define SORTED_LIST_H

#include <stdlib.h>

#include "ascending.h"

struct sl_node {
  int value;
  struct sl_node *next;
};

// Adds a value behind all that are not greater: with k values there, one of k + 1 places.
static inline void sl_add(struct sl_node **link, int value) {
  while (*link != NULL && (*link)->value <= value) link = &(*link)->next;
  struct sl_node *fresh = malloc(sizeof *fresh);
  fresh->value = value;
  fresh->next = *link;
  *link = fresh;
}

// Removes the first node with this value, if there is one. With k values there: one of them, or one of k + 1 gaps.
static inline void sl_remove(struct sl_node **link, int value) {
  while (*link != NULL && (*link)->value < value) link = &(*link)->next;
  struct sl_node *gone = *link;
  if (gone == NULL || gone->value > value) return;
  *link = gone->next;
  free(gone);
}

// Asserts the order. The path implies it: nothing forks.
static inline void sl_check(const struct sl_node *n) {
  struct ascending a = {.count = 0};
  for (; n != NULL; n = n->next) ascending_or_equal(&a, n->value);
}

#endif
