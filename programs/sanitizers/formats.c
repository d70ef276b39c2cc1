// Arguments that the format does not suit, and those that it does: signs, promotions, types of the same width, arguments
// that nobody reads.
//
// cleave: bug ptr
// cleave: flags -Wno-format -Wno-format-extra-args -Wno-format-insufficient-args -Wno-int-conversion
#include <klee/klee.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pair {
  int first, second;
};

static char text[128];

static void through_list(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list); //~ ERROR ptr
  va_end(list);
}

// A structure of two ints goes in one register of eight bytes, and is read by halves.
static int pairs(int n, ...) {
  va_list list;
  int sum = 0;
  va_start(list, n);
  for (int i = 0; i < n; i++) sum += va_arg(list, struct pair).second;
  sum += (int)va_arg(list, long);
  va_end(list);
  return sum;
}

static int good(unsigned k, long wide, const char *name) {
  int written = 0;
  printf("%d %u %x %X %o %c %hhd %hu %i\n", k, (int)k, (int)k, k, k, 'a' + (int)k, (char)k, (short)k, -1);
  printf("%ld %lu %zu %jd %lld %llx %td\n", wide, wide, sizeof k, (intmax_t)k, (long long)k, wide, (ptrdiff_t)2);
  printf("%s %p %f %Lf %g %5.2f %*d %.*s%n\n", name, (void *)0, 1.5, 2.5L, 1.0f, 2.0, 7, k, 2, name, &written);
  printf("%d %d %d %d %d %d %d %ld %f\n", 1, 2, 3, 4, 5, 6, 7, 8L, 9.0);
  printf("%2$d %1$s\n", name, 3);
  printf("no more\n", k, wide, name);
  through_list("%d %ld %s", k, wide, name);
  return pairs(2, (struct pair){1, 2}, (struct pair){3, 4}, 5L) == 11 && written == 42 ? 0 : written;
}

int main(void) {
  unsigned char which;
  klee_make_symbolic(&which, sizeof which, "which");
  long wide = which;
  int narrow = which;
  switch (which) {
  case 1:
    printf("%d\n", wide); //~ ERROR ptr
    break;
  case 2:
    printf("%ld\n", narrow); //~ ERROR ptr
    break;
  case 3:
    printf("%d\n", 1.5); //~ ERROR ptr
    break;
  case 4:
    printf("%f\n", narrow); //~ ERROR ptr
    break;
  case 5:
    printf("%d\n", &narrow); //~ ERROR ptr
    break;
  case 6:
    printf("%s\n", narrow); //~ ERROR ptr
    break;
  case 7:
    printf("%d %d\n", narrow); //~ ERROR ptr
    break;
  case 8:
    printf("%zu\n", narrow); //~ ERROR ptr
    break;
  case 9:
    printf("%*d\n", wide, narrow); //~ ERROR ptr
    break;
  case 10:
    printf("%Lf\n", 1.5); //~ ERROR ptr
    break;
  case 11:
    printf("%f\n", 1.5L); //~ ERROR ptr
    break;
  case 12:
    printf("%d %d %d %d %d %d %ld\n", 1, 2, 3, 4, 5, 6, narrow); //~ ERROR ptr
    break;
  case 13:
    through_list("%lu", narrow);
    break;
  case 14:
    printf("%n\n", narrow); //~ ERROR ptr
    break;
  default:
    return good(7, 1L << 40, "name");
  }
  return 0;
}
