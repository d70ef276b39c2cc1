// Square roots and reciprocals of numbers in 16.16 fixed point, by Newton's steps and bit by bit.
// flags: -O0
#include <klee/klee.h>
#include <stdint.h>

static uint32_t root_by_bits(uint32_t value) {
  uint32_t root = 0, bit = 1u << 14;
  while (bit > value) bit >>= 2;
  while (bit) {
    if (value >= root + bit) {
      value -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
    bit >>= 2;
  }
  return root;
}

static int32_t multiply(int32_t a, int32_t b) { return (int32_t)((int64_t)a * b >> 16); }

int main(void) {
  uint16_t input, scale;
  klee_make_symbolic(&input, sizeof input, "input");
  klee_make_symbolic(&scale, sizeof scale, "scale");
  uint32_t root = root_by_bits(input);
  if (root * root > input) return 9;
  if ((root + 1) * (root + 1) <= input) return 10;
  if (scale < 0x100 || scale > 0x4000) return 1;
  int32_t scaled = multiply((int32_t)root << 8, scale);
  if (scaled > 0x2000 && scaled < 0x2040) return 2;
  if (multiply(scaled, scaled) == 0x1234) return 3;
  return scaled % 7 == 3 ? 4 : 0;
}
