// An index that came from a read at an unknown index is an index itself, and so on: each is decided, so the paths are those of the
// places that are visited. Starting at 0: k places in turn, then one of them again, or a way out. With 6 places these are 1,957, with 8
// (the case that was reported) 109,601; a last index that nobody reads from is not decided.
//
// cleave: flags -DHOPS=40 -DPLACES=6
// cleave: replay no
// cleave: expect paths=1838 failed=0
// cleave: seconds 120
#include <stdint.h>
#include <stdlib.h>
#include <klee/klee.h>
int main(void) {
  uint8_t *d = malloc(PLACES);
  klee_make_symbolic(d, PLACES, "d");
  unsigned at = 0, hops = 0;
  while (d[at] < PLACES && hops < HOPS) { at = d[at]; hops++; }
  return hops & 15;
}
