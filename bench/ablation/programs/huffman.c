// A decoder of canonical Huffman codes: lengths of codes from the input, counts a length, then bits of the input.
#include <klee/klee.h>
#include <stdint.h>

enum { SYMBOLS = 5, MAX = 3, BYTES = 2 };

int main(void) {
  uint8_t lengths[SYMBOLS], data[BYTES];
  klee_make_symbolic(lengths, sizeof lengths, "lengths");
  klee_make_symbolic(data, sizeof data, "data");
  int count[MAX + 1] = {0}, offsets[MAX + 1] = {0}, symbols[SYMBOLS], left = 1;
  for (int i = 0; i < SYMBOLS; i++) {
    if (lengths[i] > MAX) return 1;
    count[lengths[i]]++;
  }
  for (int length = 1; length <= MAX; length++) {
    left = 2 * left - count[length];
    if (left < 0) return 2;
  }
  for (int length = 1; length < MAX; length++) offsets[length + 1] = offsets[length] + count[length];
  for (int i = 0; i < SYMBOLS; i++) {
    if (lengths[i]) symbols[offsets[lengths[i]]++] = i;
  }
  int at = 0, sum = 0;
  for (int n = 0; n < 3; n++) {
    int code = 0, first = 0, index = 0, length = 1;
    for (; length <= MAX; length++) {
      if (at == 8 * BYTES) return 3;
      code |= data[at / 8] >> at % 8 & 1;
      at++;
      if (code - count[length] < first) break;
      index += count[length];
      first = (first + count[length]) << 1;
      code <<= 1;
    }
    if (length > MAX) return 4;
    sum = 4 * sum + symbols[index + code - first];
  }
  return sum == 27 ? 5 : left > 0 ? 6 : 0;
}
