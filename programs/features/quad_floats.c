// `__float128`: arithmetic, comparisons, conversions and arguments, of special and of random operands, in two rounding modes.
//
// cleave: expect paths=1
// cleave: exit 0
#include <fenv.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef __float128 Q;
typedef unsigned __int128 wide;

static uint64_t seed = 88172645463325252u;

static uint64_t random_bits(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

static Q quad(wide bits) {
  Q q;
  memcpy(&q, &bits, 16);
  return q;
}

static void show(Q q) {
  wide bits;
  memcpy(&bits, &q, 16);
  if (q != q)
    printf(" nan");
  else
    printf(" %016llx%016llx", (unsigned long long)(bits >> 64), (unsigned long long)bits);
}

static const uint64_t special[] = {0, 0x3fff000000000000, 0x7fff000000000000, 0x7fff800000000000, 0x0000000000000001,
                                   0x0000800000000000, 0x0001000000000000, 0x7ffeffffffffffff, 0x4000921fb54442d1};

static Q operand(int i) {
  uint64_t r = random_bits(), low = random_bits();
  uint64_t high = r;
  if (i % 4 == 0)
    high = special[r % 9], low = r & 64 ? 0 : low;
  else if (i % 4 == 1)
    high = (r & 0x8000ffffffffffff) | (0x3ff0 + (r >> 20 & 31)) << 48;
  if (i % 7 == 0)
    low &= ~(uint64_t)0 << 40;
  return quad((wide)high << 64 | low);
}

static void pair(Q a, Q b) {
  volatile Q x = a, y = b;
  show(x + y), show(x - y), show(x * y), show(x / y), show(-x);
  printf(" %d%d%d%d%d%d%d", x < y, x <= y, x == y, x != y, x > y, x >= y, __builtin_isunordered(x, y));
  printf(" %d%d%d%d\n", !!__builtin_isnan(x), !!__builtin_isinf(x), !!__builtin_isnormal(x), !!__builtin_signbit(x));
}

static void conversions(Q q) {
  volatile Q x = q;
  if (q != q)
    return;
  volatile float f = x;
  volatile double d = x;
  volatile long double l = x;
  unsigned char bytes[16] = {0};
  memcpy(bytes, (void *)&l, 10);
  printf("%a %a ", f, d);
  for (int i = 9; i >= 0; i--)
    printf("%02x", bytes[i]);
  show(f), show(d), show(l), show((_Float16)x);
  if (x > -1e9Q && x < 1e9Q)
    printf(" %d %lld %lld", (int)x, (long long)(x * 1000), (long long)(__int128)(x * 100000));
  if (x >= 0 && x < 1e18Q)
    printf(" %llu %llu", (unsigned long long)x, (unsigned long long)(wide)(x * 10));
  printf("\n");
}

static Q sum(int n, ...) {
  va_list list;
  va_start(list, n);
  Q total = 0;
  for (int i = 0; i < n; i++)
    total = total * 3 + va_arg(list, Q) + va_arg(list, int) + va_arg(list, double);
  va_end(list);
  return total;
}

struct holder {
  char c;
  Q q;
};

static struct holder twice(struct holder h) {
  h.q *= 2;
  return h;
}

static _Complex __float128 complex_product(_Complex __float128 a, _Complex __float128 b) {
  return a * b / (a + b);
}

int main(void) {
  for (int i = 0; i < 48; i++)
    pair(operand(i), operand(i / 4 + i));
  for (int i = 0; i < 48; i++)
    conversions(operand(i));
  static const long long values[] = {0, 1, -1, 1234567890123, -9223372036854775807 - 1, 9223372036854775807};
  for (int i = 0; i < 6; i++) {
    volatile long long v = values[i];
    show((int)v), show((unsigned)v), show(v), show((unsigned long long)v), show((__int128)v * v), show((wide)v << 60), show((short)v);
    printf("\n");
  }
  Q p = sum(3, 1.5Q, 2, 0.5, 2.5Q, 3, 0.25, 1e30Q, 4, 1.0);
  Q many = sum(10, 1.0Q, 1, 1.0, 2.0Q, 1, 1.0, 3.0Q, 1, 1.0, 4.0Q, 1, 1.0, 5.0Q, 1, 1.0, 6.0Q, 1, 1.0, 7.0Q, 1, 1.0, 8.0Q, 1, 1.0, 9.0Q, 1, 1.0, 10.0Q, 1, 1.0);
  struct holder h = twice((struct holder){1, 0.1Q});
  _Complex __float128 z = complex_product(1 + 2i, 3 - 1i);
  show(p), show(many), show(h.q), show(__real__ z), show(__imag__ z), show(__builtin_fabsf128(-p)), show(__builtin_copysignf128(p, -1));
  z = complex_product(__builtin_inff128(), 1i);
  show(__real__ z), show(__imag__ z);
  printf("\n");
  volatile Q one = 1, three = 3, small = 0x1p-120Q;
  for (int mode = 0; mode < 4; mode++) {
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    fesetround(modes[mode]);
    Q up = one + small, down = one - small, negative = -one - small, third = one / three, square = three * small;
    fesetround(FE_TONEAREST);
    show(up), show(down), show(negative), show(third), show(square);
    printf("\n");
  }
  return 0;
}
