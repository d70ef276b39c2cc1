// Frames with a length, a type and a CRC-16: bits shifted one by one, then compared with two bytes of the input.
#include <klee/klee.h>
#include <stdint.h>

enum { LENGTH = 16 };

static uint16_t crc(const uint8_t *data, int length) {
  uint16_t value = 0xFFFF;
  for (int i = 0; i < length; i++) {
    value ^= (uint16_t)(data[i] << 8);
    for (int bit = 0; bit < 8; bit++) value = (uint16_t)(value & 0x8000 ? value << 1 ^ 0x1021 : value << 1);
  }
  return value;
}

static uint16_t crc_without_branches(const uint8_t *data, int length) {
  uint16_t value = 0xFFFF;
  for (int i = 0; i < length; i++) {
    uint8_t x = (uint8_t)(value >> 8 ^ data[i]);
    x ^= x >> 4;
    value = (uint16_t)(value << 8 ^ x << 12 ^ x << 5 ^ x);
  }
  return value;
}

int main(void) {
  uint8_t data[LENGTH];
  klee_make_symbolic(data, sizeof data, "data");
  if (crc((const uint8_t *)"123456789", 9) != 0x29B1) return 9;
  int frames = 0, at = 0, sum = 0;
  while (at + 4 <= LENGTH) {
    int length = data[at], type = data[at + 1];
    if (length < 1 || length > 3 || at + length + 4 > LENGTH) return 1;
    uint16_t right = crc_without_branches(data + at, length + 2);
    if (data[at + length + 2] != right >> 8) return 2;
    if (data[at + length + 3] != (right & 0xFF)) return 3;
    switch (type >> 4) {
      case 0: sum += data[at + 2]; break;
      case 1: sum ^= data[at + 2]; break;
      case 7: return 4;
      default: if (type & 1) return 5;
    }
    frames++;
    at += length + 4;
  }
  if (sum > 200) return 6;
  return frames == 1 ? 0 : 7;
}
