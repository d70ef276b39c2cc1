// CRC-32 of four letters. Which ones have this sum? The loop has no branch on the data, so the solver has all the work.
#include <klee/klee.h>
#include <stdint.h>
#include <stdio.h>

static uint32_t crc32(const unsigned char *data, int size) {
  uint32_t crc = ~0u;
  for (int i = 0; i < size; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
  }
  return ~crc;
}

int main(void) {
  unsigned char text[4];
  klee_make_symbolic(text, sizeof text, "text");
  if (crc32(text, sizeof text) != 0xb73e5edc) return 1;
  printf("%.4s\n", text);
  return 0;
}
