// What the programs of this folder share: a number of the type `T` that is an input. `T` is given by -DT.
#include <assert.h>
#include <klee/klee.h>

#ifndef T
#define T double
#endif

static inline T any_number(const char *name) {
  T x = 0;
  klee_make_symbolic(&x, sizeof x, name);
  return x;
}
