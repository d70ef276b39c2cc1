// Links of ten bits, the upper two first: an index of two parts, each compared with its own bits of a place. It is decided as an index
// of one byte is.
//
// cleave: expect paths=64 failed=0
// cleave: seconds 60
#include <klee/klee.h>
#include <stdint.h>

enum { PLACES = 6, HOPS = 30 };

int main(void) {
  uint8_t d[PLACES + 1];
  klee_make_symbolic(d, sizeof d, "d");
  unsigned at = 0, hops = 0;
  while (hops < HOPS) {
    unsigned to = (d[at] & 3) << 8 | d[at + 1];
    if (to >= PLACES) break;
    at = to;
    hops++;
  }
  return hops & 15;
}
