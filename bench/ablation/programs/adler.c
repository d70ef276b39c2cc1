// Adler-32 and Fletcher-16 of a short text: sums with a remainder that is not a power of two.
#include <klee/klee.h>
#include <stdint.h>

enum { LENGTH = 7 };

int main(void) {
  uint8_t text[LENGTH];
  klee_make_symbolic(text, sizeof text, "text");
  uint32_t a = 1, b = 0;
  uint16_t low = 0, high = 0;
  for (int i = 0; i < LENGTH; i++) {
    if (text[i] == 0) break;
    a = (a + text[i]) % 65521;
    b = (b + a) % 65521;
    low = (uint16_t)((low + text[i]) % 255);
    high = (uint16_t)((high + low) % 255);
  }
  uint32_t adler = b << 16 | a;
  uint16_t fletcher = (uint16_t)(high << 8 | low);
  if (adler == 0x024D0127) return 1;  // of "abc"
  if (fletcher == 0x5AC3) return 2;
  if (a % 97 == 13 && b % 89 == 7) return 3;
  if ((adler ^ fletcher) % 1009 == 500) return 4;
  if (low < high && a > b) return 5;
  return 0;
}
