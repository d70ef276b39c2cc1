// Decodes base64 with padding, strictly: four letters at a time, and unused bits must be zero.
// Holds: where the text is accepted, encoding what was decoded gives the text again.
#include <assert.h>
#include <string.h>
#include <unistd.h>

#ifndef N
#define N 8
#endif

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

// The number of bytes written, or -1 if the text is malformed.
static int decode(const char *in, int n, unsigned char *out) {
  int size = 0;
  if (n % 4 != 0) return -1;
  for (int i = 0; i < n; i += 4) {
    int pad = 0, bits = 0;
    if (i + 4 == n && in[i + 3] == '=') pad = in[i + 2] == '=' ? 2 : 1;
    for (int k = 0; k < 4; k++) {
      int v = k < 4 - pad ? value(in[i + k]) : 0;
      if (v < 0) return -1;
      bits = bits << 6 | v;
    }
    if (pad == 1 && (bits & 0xff) != 0) return -1;
    if (pad == 2 && (bits & 0xffff) != 0) return -1;
    out[size++] = bits >> 16;
    if (pad < 2) out[size++] = bits >> 8 & 0xff;
    if (pad < 1) out[size++] = bits & 0xff;
  }
  return size;
}

static int encode(const unsigned char *in, int n, char *out) {
  int size = 0;
  for (int i = 0; i < n; i += 3) {
    int bits = in[i] << 16;
    if (i + 1 < n) bits |= in[i + 1] << 8;
    if (i + 2 < n) bits |= in[i + 2];
    out[size++] = alphabet[bits >> 18];
    out[size++] = alphabet[bits >> 12 & 63];
    out[size++] = i + 1 < n ? alphabet[bits >> 6 & 63] : '=';
    out[size++] = i + 2 < n ? alphabet[bits & 63] : '=';
  }
  return size;
}

int main(void) {
  char text[N], again[N + 4];
  unsigned char bytes[N];
  int n = read(0, text, N) & ~3;
  int size = decode(text, n, bytes);
  if (size < 0) return 1;
  assert(size <= n / 4 * 3);
  int length = encode(bytes, size, again);
  assert(length == n);
  assert(memcmp(text, again, n) == 0);
  return 0;
}
