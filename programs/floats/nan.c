// What is no number is unlike itself, and its bits say so.
//
// cleave: expect -DT=float -DBITS=unsigned -DHEX=0x7f800000u paths=3
// cleave: expect -DT=double -DBITS='unsigned long' -DHEX=0x7ff0000000000000ul paths=3
// cleave: expect -DT='long double' paths=3
// cleave: expect -DT=float -DBUG paths=1 failed=1
// cleave: expect -DT=double -DBUG paths=1 failed=1
// cleave: expect -DT='long double' -DBUG paths=1 failed=1
#include "any.h"
#include <math.h>
#include <string.h>

int main(void) {
  T x = any_number("x");
  int odd = x != x;
#ifdef BUG
  // Infinity is a number.
  assert(odd == (x - x != 0));
  return odd;
#endif
#ifdef BITS
  BITS bits;
  memcpy(&bits, &x, sizeof bits);
  int by_bits = (bits << 1) > (HEX << 1);
#else
  // Extended precision writes the highest bit of the significand: numbers of any exponent but zero have it.
  struct { unsigned long significand; unsigned short head; } parts;
  memcpy(&parts, &x, 10);
  unsigned exponent = parts.head & 0x7fff;
  int odd_significand = !(parts.significand >> 63) | ((exponent == 0x7fff) & (parts.significand << 1 != 0));
  int by_bits = (exponent != 0) & odd_significand;
#endif
  assert(odd == by_bits);
  if (odd) return 1;
  if (x - x != 0) {
    assert((x == INFINITY) | (x == -INFINITY));
    return 2;
  }
  assert((x != INFINITY) & (x != -INFINITY));
  return 3;
}
