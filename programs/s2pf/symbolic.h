// An int that is an input.
#ifndef S2PF_SYMBOLIC_H
#define S2PF_SYMBOLIC_H

#include <klee/klee.h>

static int symbolic(const char *name) {
  int value;
  klee_make_symbolic(&value, sizeof value, name);
  return value;
}

#endif
