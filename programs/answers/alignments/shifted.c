// An alignment that is a power of two whatever the input is: no path for each; the last byte but one is beyond the object.
//
// cleave: levels -O0
// cleave: expect paths=1 failed=1 unsupported=0
#include <klee/klee.h>
#include <malloc.h>
#include <stdlib.h>

int main(void) {
  unsigned char shift, at;
  klee_make_symbolic(&shift, sizeof shift, "shift");
  klee_make_symbolic(&at, sizeof at, "at");
  char *p = memalign((size_t)1 << (shift & 15), 40);
  if (!p) return 1;
  p[at] = 1; //~ ERROR ptr
  free(p);
  return 2;
}
