// Unions, type punning by memory, byte order, flexible array members, offsets.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

union word {
  unsigned u;
  float f;
  unsigned char b[4];
  struct { unsigned short low, high; };
};

struct message {
  int length;
  char text[];
};

int main(void) {
  union word w = {.f = 1.5f};
  printf("%x %02x %02x %x %x\n", w.u, w.b[0], w.b[3], w.low, w.high);
  w.b[3] ^= 0x80;
  printf("%g\n", w.f);
  struct message *m = malloc(sizeof *m + 6);
  m->length = 5;
  memcpy(m->text, "hello", 6);
  printf("%zu %s %zu\n", offsetof(struct message, text), m->text, sizeof *m);
  unsigned char raw[16] = {0};
  double d = -2;
  memcpy(raw + 3, &d, sizeof d);
  unsigned long long bits;
  memcpy(&bits, raw + 3, sizeof bits);
  printf("%llx\n", bits);
  free(m);
  return 0;
}
