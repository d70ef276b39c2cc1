// A write through a null pointer, at the offset of a member.
//
// cleave: expect paths=2 failed=1
// cleave: bug ptr
// cleave: domain x 6..8
#include <klee/klee.h>
#include <stddef.h>

struct pair {
  int first, second;
};

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) {
    struct pair *volatile p = NULL;
    p->second = 1; //~ ERROR ptr
  } else if (x > 7) {
    return 0;
  }
  return 0;
}
