// Bit fields: signed and unsigned, crossing bytes, zero width, single bits, arithmetic that wraps in them.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdio.h>
#include <string.h>

struct fields {
  unsigned a : 3;
  signed b : 5;
  unsigned c : 13;
  unsigned : 0;
  unsigned long long d : 40;
  _Bool e : 1;
};

int main(void) {
  struct fields f;
  memset(&f, 0, sizeof f);
  f.a = 7;
  f.b = -16;
  f.c = 5000;
  f.d = 0xABCDEF0123ULL;
  f.e = 2;
  printf("%u %d %u %llx %d %zu\n", f.a, f.b, f.c, (unsigned long long)f.d, f.e, sizeof f);
  f.a += 2;
  f.b -= 1;
  f.c *= 3;
  f.d <<= 4;
  printf("%u %d %u %llx\n", f.a, f.b, f.c, (unsigned long long)f.d);
  unsigned char bytes[sizeof f];
  memcpy(bytes, &f, sizeof f);
  for (size_t i = 0; i < 4; i++) printf("%02x ", bytes[i]);
  printf("\n");
  return 0;
}
