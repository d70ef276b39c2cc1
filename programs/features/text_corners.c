// Numbers from and to text at their corners: bases, overflow, errno, end pointers, hexadecimal floats, halfway
// cases, denormals, infinities, scanf.
//
// cleave: expect paths=1
// cleave: exit 0
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void whole(const char *text, int base) {
  char *end;
  errno = 0;
  long s = strtol(text, &end, base);
  int e = errno;
  errno = 0;
  unsigned long u = strtoul(text, NULL, base);
  printf("%ld:%lu:%td:%d:%d ", s, u, end - text, e == ERANGE, errno == ERANGE);
}

static void real(const char *text) {
  char *end;
  errno = 0;
  double d = strtod(text, &end);
  int e = errno;
  printf("%.17g:%a:%td:%d:%.9g ", d, d, end - text, e == ERANGE, strtof(text, NULL));
}

int main(void) {
  whole("9223372036854775807", 10);
  whole("9223372036854775808", 10);
  whole("-9223372036854775809", 10);
  whole("18446744073709551616", 10);
  printf("\n");
  whole("  +0x1fg", 16);
  whole("0x", 16);
  whole("0x1F", 0);
  whole("0778", 0);
  whole("zZ", 36);
  whole("-", 10);
  whole("", 10);
  whole("102", 2);
  printf("\n");
  real("1e308");
  real("1.8e308");
  real("4.9406564584124654e-324");
  real("2.4703282292062327e-324");
  real("-0.0");
  printf("\n");
  real("0x1.fffffffffffff8p0");
  real("0x.8p1x");
  real("1e");
  real(".5e+1z");
  real("9007199254740993");
  printf("\n");
  real("nan(12)");
  real("-infinityx");
  real("123456789012345678901234567890.5e-10");
  real("2.2250738585072011e-308");
  real("0.1e-400");
  printf("\n");
  printf("%.0f %.0f %.0f %.1f %.3g %.0e\n", 0.5, 1.5, 2.5, 0.25, 9.9996, 5e-324);
  printf("[%+.3d] [% 05d] [%-+6i] [%#.3x] [%#o] [%.0d] [%5.0u]\n", 5, 42, 7, 10, 0, 0, 0u);
  printf("[%10.4s] [%-6c] [%*.*f] [%s] [%p]\n", "abcdefgh", 'q', -9, 2, 3.14159, "", (void *)0);
  printf("[%a] [%.1a] [%A] [%g] [%G] [%g]\n", 0.0, 1.96875, DBL_MIN / 2, 1e-5, 1e-5, 123456789.0);
  printf("[%.40f] [%.60g]\n", DBL_EPSILON, DBL_MAX);
  printf("[%#g] [%#.0e] [%07.2f] [%+.0f] [%i]\n", 2.0, 3.0, -1.005, -0.4, INT_MIN);
  printf("[%3$s %1$d %2$c]\n", 12, 'k', "order");
  int i, n;
  unsigned x;
  float f;
  char word[8], rest[8];
  n = sscanf(" -12 ff 2.5e1 hello]tail", "%d %x %f %5[a-z]%*c%7s", &i, &x, &f, word, rest);
  printf("%d %d %u %g %s %s\n", n, i, x, f, word, rest);
  int a = -1, b = -1, used = 0;
  n = sscanf("7,x", "%d,%d%n", &a, &b, &used);
  printf("%d %d %d %d\n", n, a, b, used);
  printf("%d %ld %lld %g\n", atoi("-0012abc"), atol(" 99"), atoll("-8"), atof("1e2"));
  printf("%d %d\n", abs(-5), (int)labs(-7L));
  div_t q = div(-17, 5);
  printf("%d %d\n", q.quot, q.rem);
  return 0;
}
