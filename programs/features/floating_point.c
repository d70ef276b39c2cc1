// float, double and long double: rounding, conversions at their limits, NaN, infinities, the math library.
//
// cleave: expect paths=1
// cleave: exit 0
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned long long bits(double d) {
  unsigned long long u;
  memcpy(&u, &d, sizeof u);
  return u;
}

int main(void) {
  volatile double one = 1, three = 3, zero = 0, big = 1e308, tiny = DBL_MIN;
  volatile float f = 16777216.0f, third = 1.0f / 3;
  volatile long double l = 1.0L / 3;
  printf("%llx %llx %llx\n", bits(one / three), bits(0.1 + 0.2 * one), bits(tiny / 2));
  printf("%d %d %d\n", isinf(big * 10) != 0, isnan(zero / zero) != 0, signbit(-zero) != 0);
  volatile double nan = zero / zero;
  printf("%d %d %d %d %d\n", nan == nan, nan != nan, nan < one, !(nan >= one), one < big);
  printf("%.9g %.9g %.9g\n", f + 1, third * 3, (float)0.1);
  printf("%.21Lg %.21Lg %d\n", l, l * l + 1, (double)l == one / three);
  printf("%d %u %lld %d\n", (int)-2.9, (unsigned)(volatile double){3e9}, (long long)(volatile double){-9e18}, (signed char)(volatile float){-100.7f});
  printf("%.17g %.9g %.17g\n", (double)(volatile uint64_t){UINT64_MAX}, (float)(volatile int){16777217}, (double)(volatile int64_t){INT64_MIN});
  printf("%.17g %.17g %.17g %.17g\n", floor(-2.5 * one), ceil(2.1 * one), trunc(-2.7 * one), round(2.5 * one));
  printf("%.17g %.17g %.17g %ld\n", rint(2.5 * one), fmod(10.5 * one, three), sqrt(2 * one), lrint(3.5 * one));
  printf("%.12g %.12g %.12g %.12g\n", sin(one), cos(one), tan(one), atan2(one, -three));
  printf("%.12g %.12g %.12g %.12g\n", exp(one), log(three), pow(three, 0.5), log10(1000 * one));
  printf("%.12g %.12g %.12g\n", hypot(3 * one, 4), cbrt(27 * one), fma(three, three, one));
  printf("%.15Lg %.15Lg %.15Lg\n", sqrtl(2 * l), fabsl(-l), floorl(l * 10));
  int exponent;
  double part, mantissa = frexp(48 * one, &exponent), fraction = modf(-3.75 * one, &part);
  printf("%g %d %g %g %g %g\n", mantissa, exponent, fraction, part, ldexp(0.75, 4), scalbn(one, -3));
  printf("%g %g %g %g\n", fmax(one, nan), fmin(three, one), copysign(three, -zero), nextafter(one, 2) - 1);
  return 0;
}
