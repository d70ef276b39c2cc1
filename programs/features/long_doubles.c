// long double, the x87 format: arithmetic, conversions of all kinds, comparisons, classification, in memory and varargs.
//
// cleave: expect paths=1
// cleave: exit 0
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile long double third = 1.0L / 3, huge = 1e4000L, tiny = LDBL_MIN;
static volatile long long big = 0x7ffffffffffffff1ll;

static long double sum(int n, ...) {
  va_list list;
  va_start(list, n);
  long double s = 0;
  for (int i = 0; i < n; i++) s += va_arg(list, long double);
  va_end(list);
  return s;
}

struct holder {
  char c;
  long double value;
  short s;
};

int main(void) {
  printf("%.20Lg %.20Lg %.20Lg\n", third, third * 3, third - 1.0L / 3.0);
  printf("%.20Lg %.20Lg %.20Lg\n", huge * 2, huge * huge, tiny / 4);
  printf("%.20Lg %.20Lg %.20Lg\n", (long double)big, (long double)big / 7, -(long double)big * big);
  printf("%lld %llu %d %u\n", (long long)(third * 1e18L), (unsigned long long)(third * 5e19L), (int)-7.9L, (unsigned)(third * 9));
  printf("%.17g %.9g %.20Lg %.20Lg\n", (double)third, (float)third, (long double)0.1, (long double)0.1f);
  printf("%d %d %d %d %d\n", third < 1, third > huge, huge == huge, isnan(huge * huge - huge * huge), isinf(huge * huge));
  printf("%.20Lg %.20Lg %.20Lg %.20Lg\n", fabsl(-third), sqrtl(2), floorl(-third), fmodl(huge, 7));
  printf("%La %La\n", third, -huge);
  int exponent;
  long double fraction = frexpl(huge, &exponent);
  printf("%.20Lg %d %.20Lg\n", fraction, exponent, ldexpl(fraction, 10));
  struct holder h[2] = {{'a', third, 1}, {'b', 2.5L, 2}};
  h[1] = h[0];
  h[0].value += 1;
  printf("%zu %.20Lg %.20Lg %c %d\n", sizeof h, h[0].value, h[1].value, h[1].c, h[1].s);
  printf("%.20Lg\n", sum(3, third, 1.0L, huge / 1e3990L));
  printf("%.20Lg %.20Lg\n", strtold("1.1897314953572317650e+4932", NULL), strtold("0x1.8p-16445", NULL));
  unsigned char bytes[10];
  long double negative = -third;
  memcpy(bytes, &negative, sizeof bytes);
  for (int i = 0; i < 10; i++) printf("%02x", bytes[i]);
  printf(" %d\n", signbit(negative) != 0);
  return copysignl(1, -0.0L) == -1 ? 0 : 1;
}
