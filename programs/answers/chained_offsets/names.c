// Labels and pointers of fourteen bits, as names are in a message: pointers lead to pointers, and to themselves. Before the index of
// two parts was seen to be one: 53 paths in three seconds of a processor, instead of all in 1.6.
//
// cleave: expect paths=736 failed=0
// cleave: seconds 60
#include <klee/klee.h>
#include <stdint.h>

enum { SIZE = 12, FIRST = 5 };

int main(void) {
  uint8_t m[SIZE] = { 1, 'a', 2, 'b', 'c' };
  uint8_t in[SIZE - FIRST];
  klee_make_symbolic(in, sizeof in, "in");
  for (int i = FIRST; i < SIZE; i++) m[i] = in[i - FIRST];
  unsigned at = FIRST, length = 0, jumps = 0;
  for (;;) {
    if (at >= SIZE) return 1;
    uint8_t n = m[at++];
    if (n == 0) break;
    if ((n & 0xc0) == 0xc0) {
      if (at >= SIZE || ++jumps > 30) return 2;
      at = (n & 0x3f) << 8 | m[at];
      continue;
    }
    if (n & 0xc0 || length + n > SIZE) return 3;
    length += n;
    at += n;
  }
  return length == 3 ? 4 : 5;
}
