// Classes of floating-point numbers: what clang makes one intrinsic of, by itself and in sums of classes.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdio.h>
#include <string.h>

static const unsigned long doubles[] = {
    0,                  1,                  0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000,
    0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff7ffffffffffff, 0x7ff8000000000000,
};
static const unsigned floats[] = {
    0, 1, 0x007fffff, 0x00800000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000,
};

static int classes(double d) {
  return __builtin_isfpclass(d, 1) | __builtin_isfpclass(d, 2) << 1 | __builtin_isfpclass(d, 4) << 2 |
         __builtin_isfpclass(d, 8) << 3 | __builtin_isfpclass(d, 16) << 4 | __builtin_isfpclass(d, 32) << 5 |
         __builtin_isfpclass(d, 64) << 6 | __builtin_isfpclass(d, 128) << 7 | __builtin_isfpclass(d, 256) << 8 |
         __builtin_isfpclass(d, 512) << 9 | __builtin_isfpclass(d, 0x207) << 10 |
         __builtin_isfpclass(d, 0x1f8) << 11 | __builtin_isfpclass(d, 0x90) << 12 | __builtin_isfpclass(d, 0) << 13;
}

static int single(float f) {
  return __builtin_issignaling(f) | __builtin_issubnormal(f) << 1 | __builtin_iszero(f) << 2 |
         __builtin_isfpclass(f, 0x108) << 3 | __builtin_isfpclass(f, 0x3) << 4 | __builtin_isfpclass(f, 0x204) << 5;
}

int main(void) {
  for (unsigned i = 0; i < sizeof doubles / sizeof doubles[0]; i++) {
    for (unsigned long sign = 0; sign < 2; sign++) {
      unsigned long bits = doubles[i] | sign << 63;
      double d;
      memcpy(&d, &bits, sizeof d);
      printf("%016lx %04x\n", bits, classes(d));
      unsigned half = floats[i] | (unsigned)sign << 31;
      float f;
      memcpy(&f, &half, sizeof f);
      printf("%08x %02x\n", half, single(f));
    }
  }
  return 0;
}
