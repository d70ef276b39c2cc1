// strtol and its relatives, strtod, atoi, sscanf: values, ends, ranges and errors.
//
// cleave: expect paths=1
// cleave: exit 0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void show_long(const char *text, int base) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, base);
  printf("%s base %d: %ld rest \"%s\" %s\n", text, base, value, end, errno == ERANGE ? "range" : errno ? "error" : "fine");
}

static void show_double(const char *text) {
  char *end;
  errno = 0;
  double value = strtod(text, &end);
  printf("%s: %.17g rest \"%s\" %s\n", text, value, end, errno == ERANGE ? "range" : "fine");
}

int main(void) {
  show_long("  -123abc", 10);
  show_long("0x1fG", 0);
  show_long("0x1f", 16);
  show_long("0777", 0);
  show_long("zz", 36);
  show_long("9223372036854775808", 10);
  show_long("-9223372036854775809", 10);
  show_long("+", 10);
  show_long("", 10);
  printf("%lu %llu\n", strtoul("-1", NULL, 10), strtoull("18446744073709551615", NULL, 10));
  show_double("3.25e2x");
  show_double("0x1.8p3");
  show_double("1e400");
  show_double("1e-330");
  show_double("-inf");
  show_double(".5");
  show_double("179769313486231570000000000000000000000");
  printf("%.20Lg %g\n", strtold("0.1", NULL), (double)strtof("0.1", NULL));
  int a = 0, n = 0;
  unsigned x = 0;
  char word[8] = "", set[8] = "";
  double d = 0;
  int got = sscanf("12 ff hello,abc 2.5 tail", "%d %x %5s,%[a-c] %lf%n", &a, &x, word, set, &d, &n);
  printf("%d: %d %x %s %s %g\n", got, a, x, word, set, d);
  got = sscanf("12 ff hello abcx 2.5", "%d %x %7s %[a-c]%*c %lf%n", &a, &x, word, set, &d, &n);
  printf("%d: %d %x %s %s %g %d\n", got, a, x, word, set, d, n);
  return atoi("17 and more") == 17 ? 0 : 1;
}
