// Validates UTF-8: decodes each character, and refuses overlong forms, surrogates and what is above U+10FFFF.
// Holds: where all is valid, encoding the decoded characters gives the input again.
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#ifndef N
#define N 8
#endif

// The bytes of the character at `s`, of which `left` are there, or 0 if it is malformed.
static int decode(const uint8_t *s, size_t left, uint32_t *point) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  int length;
  uint32_t value;
  if (s[0] < 0x80) {
    *point = s[0];
    return 1;
  } else if ((s[0] & 0xe0) == 0xc0) {
    length = 2;
    value = s[0] & 0x1f;
  } else if ((s[0] & 0xf0) == 0xe0) {
    length = 3;
    value = s[0] & 0x0f;
  } else if ((s[0] & 0xf8) == 0xf0) {
    length = 4;
    value = s[0] & 0x07;
  } else {
    return 0;
  }
  if ((size_t)length > left) return 0;
  for (int i = 1; i < length; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
    value = value << 6 | (s[i] & 0x3f);
  }
  if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return 0;
  *point = value;
  return length;
}

static int encode(uint32_t point, uint8_t *out) {
  if (point < 0x80) {
    out[0] = point;
    return 1;
  }
  if (point < 0x800) {
    out[0] = 0xc0 | point >> 6;
    out[1] = 0x80 | (point & 0x3f);
    return 2;
  }
  if (point < 0x10000) {
    out[0] = 0xe0 | point >> 12;
    out[1] = 0x80 | (point >> 6 & 0x3f);
    out[2] = 0x80 | (point & 0x3f);
    return 3;
  }
  out[0] = 0xf0 | point >> 18;
  out[1] = 0x80 | (point >> 12 & 0x3f);
  out[2] = 0x80 | (point >> 6 & 0x3f);
  out[3] = 0x80 | (point & 0x3f);
  return 4;
}

int main(void) {
  uint8_t text[N], again[N];
  uint32_t points[N];
  ssize_t n = read(0, text, N);
  if (n < 0) return 1;
  size_t at = 0, count = 0;
  while (at < (size_t)n) {
    int length = decode(text + at, n - at, &points[count]);
    if (length == 0) return 1;
    at += length;
    count++;
  }
  size_t size = 0;
  for (size_t i = 0; i < count; i++) size += encode(points[i], again + size);
  assert(size == (size_t)n);
  assert(memcmp(text, again, size) == 0);
  return 0;
}
