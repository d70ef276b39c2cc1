// A number from 0 to 255 in decimal digits, as in an IPv4 address; -1 for any other text.
#include <stdint.h>

int octet(const uint8_t *text, int length) {
  int value = 0;
  if (length == 0) return -1;
#ifdef STRICT
  if (length > 1 && text[0] == '0') return -1; // octal, to some
#endif
  for (int i = 0; i < length; i++) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = 10 * value + (text[i] - '0');
  }
  return value <= 255 ? value : -1;
}
