// Keys in the order in which a structure holds them, to check that they ascend.
//
// Each is compared with all before it, not with its neighbour only: what a search compared is on the path already,
// what follows from it by transitivity is for a solver to find.
#ifndef ASCENDING_H
#define ASCENDING_H

#include <assert.h>

enum { ASCENDING_MOST = 16 };

struct ascending {
  int count;
  int keys[ASCENDING_MOST];
};

// The next key, which may be equal to those before it.
static inline void ascending_or_equal(struct ascending *a, int key) {
  assert(a->count < ASCENDING_MOST);
  for (int i = 0; i < a->count; i++) assert(a->keys[i] <= key);
  a->keys[a->count++] = key;
}

// The next key, which is greater than those before it.
static inline void ascending(struct ascending *a, int key) {
  assert(a->count < ASCENDING_MOST);
  for (int i = 0; i < a->count; i++) assert(a->keys[i] < key);
  a->keys[a->count++] = key;
}

#endif
