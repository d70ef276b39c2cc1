// A decompressor with literals and copies out of a window of what came before: lengths and distances from the input.
// flags: -O0
#include <klee/klee.h>
#include <stdint.h>

enum { INPUT = 7, OUTPUT = 12 };

int main(void) {
  uint8_t in[INPUT], out[OUTPUT];
  klee_make_symbolic(in, sizeof in, "in");
  int at = 0, made = 0;
  while (at < INPUT) {
    uint8_t control = in[at++];
    if (control < 0x20) {
      int length = control % 3 + 1;
      if (at + length > INPUT) return 1;
      if (made + length > OUTPUT) return 2;
      for (int i = 0; i < length; i++) out[made++] = in[at++];
    } else {
      int length = control >> 5;
      if (at == INPUT) return 3;
      int distance = (control & 3) << 8 | in[at++];
      if (distance + 1 > made) return 4;
      if (made + length > OUTPUT) return 5;
      for (int i = 0; i < length; i++, made++) out[made] = out[made - distance - 1];
    }
  }
  int sum = 0;
  for (int i = 0; i < made; i++) sum = (5 * sum + out[i]) & 0xFF;
  return sum == 0x5A ? 6 : made == OUTPUT ? 7 : 0;
}
