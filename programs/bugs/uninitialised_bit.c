// One field of bits that nobody has set, beside others in its byte that were.
//
// cleave: expect paths=2 failed=1
// cleave: bug uninitialised
// cleave: domain k 0..2
#include <klee/klee.h>

struct flags { unsigned a : 1, b : 1, c : 1; };

__attribute__((noinline)) static void set(struct flags *f, int k) {
  f->a = k == 0;
  f->c = 1;
  if (k == 1) f->b = 0;
}

int main(void) {
  struct flags f;
  int k;
  klee_make_symbolic(&k, sizeof k, "k");
  set(&f, k);
  if (f.a || !f.c) return 1;
  if (f.b) return 2; //~ ERROR uninitialised
  return 0;
}
