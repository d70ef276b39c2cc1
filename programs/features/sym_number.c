// A symbolic int classified by arithmetic: wrap-around, sign, shifts, remainders. The branches are independent
// of the C library.
//
// cleave: expect paths=9
// cleave: domain x -40..40
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume((x >= -1000) & (x <= 1000));
  int status = 0;
  if (x % 3 == 0) status |= 1;
  if ((x & 1) != 0) status |= 2;
  if (x * 2 > 10) status |= 4;
  if (status == 0 && x >> 1 == -20) status |= 8;
  return 0;
}
