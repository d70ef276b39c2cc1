// The part of a heap object that nobody has written, behind an index that may reach it.
//
// cleave: expect paths=2 failed=1
// cleave: bug uninitialised
// cleave: domain k 0..9
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned char k;
  klee_make_symbolic(&k, sizeof k, "k");
  char *p = malloc(10);
  memset(p, 0, 5);
  if (k > 9) return 1;
  if (p[k]) return 2; //~ ERROR uninitialised
  return 0;
}
