// Objects without bytes: symbolic, of a known size, and looked at; just behind an object is no access.
//
// cleave: expect paths=1
// cleave: levels -O0 -O2
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(0), c[3];
  klee_make_symbolic(p, 0, "nothing");
  klee_make_symbolic(c + 3, 0, "behind");
  klee_check_memory_access(p, 0);
  free(p);
  return 7;
}
