// As programs/features/sym_offset.c, but the index goes beyond the end by one: one more path, which is wrong.
//
// cleave: expect paths=4 failed=1
// cleave: bug ptr
// cleave: domain j -10..64
#include <klee/klee.h>
#include <stdint.h>

int main(void) {
  int below[64] = {0}, digits[8] = {3, 1, 4, 1, 5, 9, 2, 6}, above[64] = {0};
  long j;
  klee_make_symbolic(&j, sizeof j, "j");
  if (j < -9 || j > 63) return 0;
  below[5] = above[5] = 7;
  int *d = (int *)((uintptr_t)digits + 4 + (uintptr_t)((j + 9 * 16384) / 9) * 4 - 4 * 16384);
  if (*d == 1) return below[5] - 7; //~ ERROR ptr
  return above[5] - 7;
}
