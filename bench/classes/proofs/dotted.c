// Parses dotted addresses (four numbers of 0 to 255, without leading zeros), one a line.
// Holds: where a line is accepted, the address written out is that line.
#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#ifndef N
#define N 8
#endif

// The characters of the address at the start of `s`, or 0 if there is none.
static size_t parse(const char *s, uint32_t *address) {
  const char *start = s;
  uint32_t result = 0;
  for (int part = 0; part < 4; part++) {
    unsigned number = 0;
    int digits = 0;
    if (part > 0 && *s++ != '.') return 0;
    while (isdigit((unsigned char)*s)) {
      if (digits > 0 && number == 0) return 0;
      number = number * 10 + (*s++ - '0');
      if (number > 255) return 0;
      digits++;
    }
    if (digits == 0) return 0;
    result = result << 8 | number;
  }
  if (*s != 0 && *s != '\n') return 0;
  *address = result;
  return s - start;
}

static size_t format(uint32_t address, char *out) {
  char *start = out;
  for (int shift = 24; shift >= 0; shift -= 8) {
    unsigned number = address >> shift & 255;
    if (number >= 100) *out++ = '0' + number / 100;
    if (number >= 10) *out++ = '0' + number / 10 % 10;
    *out++ = '0' + number % 10;
    if (shift > 0) *out++ = '.';
  }
  *out = 0;
  return out - start;
}

int main(void) {
  char text[N + 1], again[16];
  uint32_t address;
  ssize_t n = read(0, text, N);
  if (n < 0) return 1;
  text[n] = 0;
  for (const char *line = text; *line;) {
    size_t length = parse(line, &address);
    if (length == 0) return 1;
    assert(length >= 7 && length <= 15);
    assert(format(address, again) == length);
    assert(strncmp(line, again, length) == 0);
    line += length;
    if (*line == '\n') line++;
  }
  return 0;
}
