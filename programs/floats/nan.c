// What is no number is unlike itself, and its bits say so.
//
// cleave: expect -DT=float -DBITS=unsigned -DHEX=0x7f800000u paths=3
// cleave: expect -DT=double -DBITS='unsigned long' -DHEX=0x7ff0000000000000ul paths=3
#include "any.h"
#include <math.h>
#include <string.h>

int main(void) {
  T x = any_number("x");
  BITS bits;
  memcpy(&bits, &x, sizeof bits);
  int odd = x != x;
  int by_bits = (bits << 1) > (HEX << 1);
  assert(odd == by_bits);
  if (odd) return 1;
  if (x - x != 0) {
    assert(isinf(x));
    return 2;
  }
  assert(!isinf(x));
  return 3;
}
