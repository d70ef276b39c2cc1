// Conversions of floating-point numbers that stop at the least and the greatest integer: what clang makes of a cast
// with the flag below, as other languages mean it.
//
// cleave: flags -fno-strict-float-cast-overflow
// cleave: expect paths=1
// cleave: exit 0
#include <math.h>
#include <stdio.h>

static volatile double doubles[] = {
    0, -0.0, 0.9, -0.9, 1.5, -1.5, 127.9, 128, -128.9, -129, 255.9, 256, 32767.5, 65535.5, 2147483647.5, 2147483648.0,
    -2147483648.9, -2147483649.0, 4294967295.5, 4294967296.0, 9223372036854774784.0, 9223372036854775808.0,
    -9223372036854775808.0, 18446744073709549568.0, 18446744073709551616.0, 1e30, -1e30, 1e300, -1e300,
    INFINITY, -INFINITY, NAN,
};

int main(void) {
  for (unsigned i = 0; i < sizeof doubles / sizeof doubles[0]; i++) {
    double d = doubles[i];
    float f = (float)d;
    printf("%d %u %d %u %d %u %ld %lu ", (signed char)d, (unsigned char)d, (short)d, (unsigned short)d, (int)d,
           (unsigned)d, (long)d, (unsigned long)d);
    printf("%d %u %ld %lu\n", (int)f, (unsigned)f, (long)f, (unsigned long)f);
  }
  return 0;
}
