// Inputs for the programs of this folder: each call is a new one.
#include <assert.h>
#include <klee/klee.h>
static inline int any(void) { int x; klee_make_symbolic(&x, sizeof x, "any"); return x; }
static inline unsigned any_unsigned(void) { unsigned x; klee_make_symbolic(&x, sizeof x, "any"); return x; }
static inline unsigned char any_byte(void) { unsigned char x; klee_make_symbolic(&x, sizeof x, "any"); return x; }
