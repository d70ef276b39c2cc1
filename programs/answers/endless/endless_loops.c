// As a newcomer wrote it: an optimiser may take the first loop for one that ends, as it does nothing.
// cleave: expect (-O0) paths=1 failed=2
// cleave: levels -O0
// cleave: code 3
// cleave: run --max-time 10
// cleave: seconds 15
// cleave: replay no
#include <klee/klee.h>
int main(void) {
  unsigned char a; klee_make_symbolic(&a, 1, "a");
  volatile int s = 0;
  if (a == 1) while (a == 1) ; //~ ERROR endless
  if (a == 2) for (;;) s = !s; //~ ERROR endless
  return 0;
}
