// Decodes `%41` and `+` of a URL in place, and encodes what comes out.
// Holds: decoding does not make the text longer, encoding does not make it shorter, and decoding that gives the same.
#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#ifndef N
#define N 8
#endif

static int digit(int c) {
  if (isdigit(c)) return c - '0';
  return tolower(c) - 'a' + 10;
}

// Decodes `n` bytes in place, and returns their number afterwards. A `%` without two digits stays.
static int decode(unsigned char *s, int n) {
  int to = 0;
  for (int from = 0; from < n; from++) {
    if (s[from] == '%' && from + 2 < n && isxdigit(s[from + 1]) && isxdigit(s[from + 2])) {
      s[to++] = digit(s[from + 1]) * 16 + digit(s[from + 2]);
      from += 2;
    } else if (s[from] == '+') {
      s[to++] = ' ';
    } else {
      s[to++] = s[from];
    }
  }
  return to;
}

static int encode(const unsigned char *s, int n, unsigned char *out) {
  static const char digits[] = "0123456789ABCDEF";
  int size = 0;
  for (int i = 0; i < n; i++) {
    if (isalnum(s[i]) || s[i] == '-' || s[i] == '_' || s[i] == '.' || s[i] == '~') {
      out[size++] = s[i];
    } else if (s[i] == ' ') {
      out[size++] = '+';
    } else {
      out[size++] = '%';
      out[size++] = digits[s[i] >> 4];
      out[size++] = digits[s[i] & 15];
    }
  }
  return size;
}

int main(void) {
  unsigned char text[N], coded[3 * N];
  int n = read(0, text, N);
  int size = decode(text, n);
  assert(size <= n);
  int length = encode(text, size, coded);
  assert(length >= size && length <= 3 * size);
  assert(decode(coded, length) == size);
  assert(memcmp(text, coded, size) == 0);
  return 0;
}
