// Known tricks on bits: population count, reversal, next power of two, parity, Gray code, a de Bruijn look-up.
// flags: -O0
#include <klee/klee.h>
#include <stdint.h>

static const uint8_t place_of[32] = {0,  1,  28, 2,  29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4,  8,
                                     31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6,  11, 5,  10, 9};

static uint32_t count(uint32_t x) {
  x -= x >> 1 & 0x55555555;
  x = (x & 0x33333333) + (x >> 2 & 0x33333333);
  return ((x + (x >> 4)) & 0x0F0F0F0F) * 0x01010101 >> 24;
}

static uint32_t reverse(uint32_t x) {
  x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  x = (x >> 4 & 0x0F0F0F0F) | (x & 0x0F0F0F0F) << 4;
  x = (x >> 8 & 0x00FF00FF) | (x & 0x00FF00FF) << 8;
  return x >> 16 | x << 16;
}

static uint32_t power_above(uint32_t x) {
  x--;
  for (int shift = 1; shift < 32; shift *= 2) x |= x >> shift;
  return x + 1;
}

int main(void) {
  uint32_t x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  if (x == 0) return 1;
  uint32_t lowest = place_of[(x & -x) * 0x077CB531u >> 27];
  if (lowest == 13) return 2;
  if (count(x) == 17 && count(y) == 3) return 3;
  if (reverse(x) == (y ^ 0xDEADBEEF)) return 4;
  if ((x ^ x >> 1) == 0x00C0FFEE) return 5;
  if (power_above(y) == 1u << 20 && (x & y) == 0) return 6;
  if (x + y < x) return 7;
  return (x & (x - 1)) == 0 ? 8 : 0;
}
