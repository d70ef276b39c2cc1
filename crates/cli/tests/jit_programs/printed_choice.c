// On one path the engine knows x to be 0, as it has compared it, and gives the C library a length that is a term.
#include <klee/klee.h>
#include <stdio.h>
static int limit, other = 21, zero;
int main(void) {
  unsigned char x, y;
  klee_make_symbolic(&x, 1, "x");
  klee_make_symbolic(&y, 1, "y");
  unsigned short chosen = limit >= x ? x : other;
  volatile int same;
  if (y) same = x == zero;
  printf("%d ", (int)chosen);
  return 0;
}
