// Text in base 85 decoded to words: a table of digits, multiplication by 85 and a check against overflow.
#include <klee/klee.h>
#include <stdint.h>
#include <string.h>

enum { LENGTH = 11 };
static const char digits[] =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

static int8_t value_of[256];

int main(void) {
  unsigned char text[LENGTH];
  klee_make_symbolic(text, sizeof text, "text");
  memset(value_of, -1, sizeof value_of);
  for (int i = 0; digits[i]; i++) value_of[(unsigned char)digits[i]] = (int8_t)i;
  uint64_t word = 0;
  int length = 0;
  for (int i = 0; i < LENGTH; i++) {
    if (text[i] == 'z' && length == 0) continue;
    int value = value_of[text[i]];
    if (value < 0) return 1;
    word = word * 85 + (uint64_t)value;
    if (++length == 5) {
      if (word > UINT32_MAX) return 2;
      if (word >> 24 == 0x7F) return 3;
      if ((word & 0xFFFF) == 0x0D0A) return 4;
      length = 0, word = 0;
    }
  }
  return length == 1 ? 5 : 0;
}
