// An array among others, indexed by a sum whose constant part alone is an address 64 KiB below the array's, where
// another one is. musl's printf finds the digit to round at so. None of its paths is wrong.
//
// cleave: expect paths=4
// cleave: domain j -10..63
#include <klee/klee.h>
#include <stdint.h>

static int at(int *p, int i) { return p[i]; }

int main(void) {
  int below[64] = {0}, digits[8] = {3, 1, 4, 1, 5, 9, 2, 6}, above[64] = {0};
  long j;
  klee_make_symbolic(&j, sizeof j, "j");
  if (j < -9 || j > 62) return 0;
  below[5] = above[5] = 7;
  int *d = (int *)((uintptr_t)digits + 4 + (uintptr_t)((j + 9 * 16384) / 9) * 4 - 4 * 16384);
  if (*d == 1) return at(below, 5);
  return at(above, 5) + 1;
}
