// A call through a pointer that is an input: a path for each function whose address was taken and that it can be; all
// other values are one path, a bug.
//
// cleave: expect paths=2 failed=1
// cleave: bug exec
#include <klee/klee.h>
#include <stdint.h>

__attribute__((noinline)) static int one(void) { return 1; }
__attribute__((noinline)) static int two(void) { return 2; }

int main(void) {
  int (*f)(void);
  int (*volatile taken[])(void) = {one, two};
  klee_make_symbolic(&f, sizeof f, "f");
  klee_assume(((uintptr_t)f >= (uintptr_t)taken[0]) & ((uintptr_t)f <= (uintptr_t)taken[1]));
  return f(); //~ ERROR exec
}
