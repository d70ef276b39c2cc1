// Hamming codes (7,4) with correction of one bit, and bits that are interleaved to Morton's numbers.
// flags: -O0
#include <klee/klee.h>
#include <stdint.h>

enum { WORDS = 4 };

static int decode(uint8_t word, int *corrected) {
  int p1 = (word >> 0 ^ word >> 2 ^ word >> 4 ^ word >> 6) & 1;
  int p2 = (word >> 1 ^ word >> 2 ^ word >> 5 ^ word >> 6) & 1;
  int p4 = (word >> 3 ^ word >> 4 ^ word >> 5 ^ word >> 6) & 1;
  int place = p1 | p2 << 1 | p4 << 2;
  if (place) {
    word ^= (uint8_t)(1 << (place - 1));
    ++*corrected;
  }
  return (word >> 2 & 1) | (word >> 4 & 1) << 1 | (word >> 5 & 1) << 2 | (word >> 6 & 1) << 3;
}

static uint32_t spread(uint32_t x) {
  x = (x | x << 8) & 0x00FF00FF;
  x = (x | x << 4) & 0x0F0F0F0F;
  x = (x | x << 2) & 0x33333333;
  return (x | x << 1) & 0x55555555;
}

int main(void) {
  uint8_t words[WORDS];
  klee_make_symbolic(words, sizeof words, "words");
  int corrected = 0, values[WORDS];
  for (int i = 0; i < WORDS; i++) {
    if (words[i] & 0x80) return 1;
    values[i] = decode(words[i], &corrected);
  }
  if (corrected > 2) return 2;
  uint32_t place = spread((uint32_t)values[0]) | spread((uint32_t)values[1]) << 1;
  if (place == 0x5B) return 3;
  if (place > 0x80 && values[2] == 9) return 4;
  return values[0] + values[1] == values[2] ? 5 : 0;
}
