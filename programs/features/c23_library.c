// What C23 adds to the language and its library.
//
// cleave: flags -std=c23
// cleave: expect paths=1
// cleave: exit 0
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbit.h>
#include <stdckdint.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

constexpr int limit = 40;
static_assert(limit == 40);
enum wide : unsigned long { top = 1UL << 40 };

static int sum(...) {
  va_list list;
  va_start(list);
  int a = va_arg(list, int), b = va_arg(list, int);
  va_end(list);
  return a + b;
}

[[nodiscard]] static int digits(unsigned x) {
  switch (x) {
  case 0: return 'z';
  case 1: return 'o';
  default: unreachable();
  }
}

int main() {
  volatile unsigned v = 0b1011'0000, zero = 0;
  printf("%b %#b %#B %08b %.12b %-8b| %8b %hhb %lb %zb %b\n", v, v, v, 5, 5, 5, 5, v + 256, (long)top, sizeof(int), zero);
  printf("%#.0b|%.0b|%#b|%llb\n", zero, zero, zero, ULLONG_MAX);
  wchar_t wide[40];
  swprintf(wide, 40, L"%b %#010b", v, v);
  printf("%ls\n", wide);
  char text[40];
  printf("%d\n", strfromd(text, sizeof text, "%.3f", 2.5));
  puts(text);
  nullptr_t none = nullptr;
  printf("%d %d %d\n", none == nullptr, sum(1, 2), digits(1));
  bool truth = true;
  printf("%d %zu\n", truth, alignof(max_align_t));
  int result;
  bool over = ckd_add(&result, INT_MAX, (int)v);
  printf("%d %d %d\n", over, result, ckd_mul(&result, 7, 6));
  for (unsigned x = 0; x < 4; x++) {
    volatile unsigned char b = x * 85;
    volatile unsigned short s = x * 21845;
    volatile unsigned long l = x * 0x10000000000UL;
    printf("%u %u %u %u %u %u\n", stdc_leading_zeros(b), stdc_leading_ones(b), stdc_trailing_zeros(s), stdc_trailing_ones(s),
           stdc_first_leading_one(l), stdc_first_trailing_zero(b));
    printf("%u %u %u %d %u %u %lu\n", stdc_count_ones(b), stdc_count_zeros(s), stdc_bit_width(l), stdc_has_single_bit(b),
           stdc_bit_floor(b), stdc_bit_ceil(s), stdc_bit_ceil(l));
  }
  char *copy = strdup("copied"), *part = strndup("copied", 3);
  printf("%s %s\n", copy, part);
  memset_explicit(copy, 'x', 3);
  puts(copy);
  free_sized(copy, 7);
  free(part);
  printf("%d %d %d %d\n", BOOL_WIDTH, LONG_WIDTH, INT_FAST16_WIDTH, (int)sizeof(int_fast16_t) * 8);
  volatile double half = 2.5, nan = NAN;
  printf("%g %g %g %g %d\n", roundeven(half), fmaximum(half, 3), fminimum_num(nan, half), fmaximum(-0.0, 0.0), iszero(half));
  typeof(half) copy2 = half;
  typeof_unqual(half) copy3 = copy2;
  printf("%g %g\n", copy2, copy3);
  assert((int[]){1, 2}[0] == 1);
  struct tm tm;
  time_t moment = 86400;
  gmtime_r(&moment, &tm);
  printf("%d %ld %d\n", tm.tm_mday, (long)timegm(&tm), memalignment(&tm) >= alignof(struct tm));
  unsigned _BitInt(17) odd = 100000;
  printf("%u\n", (unsigned)(odd * 3));
  struct { int a, b; } empty = {};
  printf("%d %d\n", empty.a, empty.b);
  static const unsigned char self[] = {
#embed __FILE__ limit(4)
  };
  printf("%zu %c\n", sizeof self, self[0]);
  return 0;
}
