// Numbers of 16 bits, `_Float16` and `__bf16`: conversions, arithmetic, comparisons, classes, vectors, structures and arguments, of
// special and of random operands.
//
// cleave: expect paths=1
// cleave: exit 0
#include <fenv.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef _Float16 H;
typedef __bf16 B;

static uint64_t seed = 88172645463325252u;

static uint64_t random_bits(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

static const uint16_t special[] = {0x0000, 0x0001, 0x0002, 0x03ff, 0x0400, 0x0401, 0x3bff, 0x3c00, 0x3c01, 0x4248,
                                   0x7bff, 0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7fff, 0x7f80, 0x7f7f, 0x007f, 0x0080};

static uint16_t operand(void) {
  uint64_t r = random_bits();
  uint16_t bits = r >> 32;
  if (r % 3 == 0)
    bits = special[r / 3 % (sizeof special / sizeof *special)] | (bits & 0x8000);
  return bits;
}

static H half(uint16_t bits) {
  H h;
  memcpy(&h, &bits, 2);
  return h;
}

static unsigned bits_of(H h) {
  uint16_t bits;
  memcpy(&bits, &h, 2);
  return bits;
}

static B brain(uint16_t bits) {
  B b;
  memcpy(&b, &bits, 2);
  return b;
}

static unsigned bits_of_brain(B b) {
  uint16_t bits;
  memcpy(&bits, &b, 2);
  return bits;
}

/* What is no number is one answer: which one it is, is the processor's. */
static unsigned long long word(double d) {
  unsigned long long bits;
  memcpy(&bits, &d, 8);
  return d == d ? bits : 0x7ff8;
}

static unsigned plain(H h) {
  return h == h ? bits_of(h) : 0x7e00;
}

static unsigned plain_brain(B b) {
  return (float)b == (float)b ? bits_of_brain(b) : 0x7fc0;
}

static float as_float(uint32_t bits) {
  float f;
  memcpy(&f, &bits, 4);
  return f;
}

static double as_double(uint64_t bits) {
  double d;
  memcpy(&d, &bits, 8);
  return d;
}

static void narrowing(void) {
  for (int i = 0; i < 400; i++) {
    uint64_t r = random_bits();
    /* Of all magnitudes that count, and ties. */
    uint32_t f = (uint32_t)(r % 60 + 95) << 23 | (r >> 40 & 0x7fffff);
    if (i % 4 == 0)
      f &= ~0xfffu;
    if (i % 16 == 0)
      f |= 0x1000;
    uint64_t d = (r % 60 + 990) << 52 | (random_bits() & 0xfffffffffffff);
    if (i % 4 == 1)
      d &= ~(((uint64_t)1 << 41) - 1);
    if (i % 8 == 1)
      d |= (uint64_t)1 << 41;
    if (i % 16 == 9)
      d |= 1;
    volatile float x = as_float(f | (uint32_t)i << 31);
    volatile double y = as_double(d);
    volatile long double z = y;
    if (i % 5 == 0)
      z += z * 0x1p-60L;
    printf("%x %x %x %x %x\n", bits_of((H)x), bits_of((H)y), bits_of((H)z), bits_of_brain((B)x), bits_of_brain((B)y));
  }
  static const uint32_t floats[] = {0, 1, 0x7fffff, 0x800000, 0x33000000, 0x33000001, 0x33800000, 0x477fefff, 0x477ff000,
                                    0x477fffff, 0x7f7fffff, 0x7f7f7fff, 0x7f7f8000, 0x7f800000, 0x7f800001, 0x7fc12345};
  for (unsigned i = 0; i < sizeof floats / sizeof *floats; i++) {
    volatile float x = as_float(floats[i]);
    volatile double y = x;
    printf("%x %x %x %x\n", bits_of((H)x), bits_of_brain((B)x), bits_of((H)y), bits_of_brain((B)y));
  }
}

static void arithmetic(void) {
  for (int i = 0; i < 300; i++) {
    uint16_t a = operand(), b = operand();
    volatile H x = half(a), y = half(b);
    volatile B p = brain(a), q = brain(b);
    float wide = x;
    printf("%04x %04x %llx %llx %x %x %x %x | %x %x %x %x", a, b, word(wide), word((double)p), plain(x + y), plain(x - y),
           plain(x * y), plain(x / y), plain_brain(p + q), plain_brain(p - q), plain_brain(p * q), plain_brain(p / q));
    printf(" %d%d%d%d%d%d %d%d%d", x < y, x <= y, x == y, x != y, x > y, x >= y, p < q, p == q, p != q);
    H product = x * y + x;
    x += y;
    printf(" %x %x %x %x\n", plain(product), plain(x), bits_of(-y), bits_of(__builtin_fabsf16(x)) & 0x8000);
  }
}

static void functions(void) {
  for (int i = 0; i < 100; i++) {
    volatile H x = half(operand()), y = half(operand()), z = half(operand());
    printf("%x %x %x %x %x %x", plain(__builtin_elementwise_sqrt((H)x)), plain(__builtin_floorf16(x)), plain(__builtin_ceilf16(y)),
           plain(__builtin_truncf16(z)), plain(__builtin_rintf16(x)), plain(__builtin_roundf16(y)));
    printf(" %x %x", plain(__builtin_elementwise_fma((H)x, (H)y, (H)z)), plain(__builtin_copysignf16(x, y)));
    if (x == x && y == y && (x != 0 || y != 0))
      printf(" %x %x", plain(__builtin_fmaxf16(x, y)), plain(__builtin_fminf16(x, y)));
    printf(" %d%d%d%d%d\n", !!__builtin_isnan(x), !!__builtin_isinf(x), !!__builtin_isnormal(x), !!__builtin_isfinite(x),
           !!__builtin_issubnormal(x));
  }
}

static void integers(void) {
  static const long long values[] = {0, 1, -1, 2047, 2048, 2049, 2051, 65503, 65504, 65519, 65520, -65520, 1234567, 1LL << 40, 1LL << 62};
  for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
    volatile long long v = values[i];
    volatile H h = v, u = (unsigned long long)v, s = (short)v, w = (__int128)v * 3;
    volatile B b = v, c = (unsigned)v;
    printf("%x %x %x %x %x %x", bits_of(h), bits_of(u), bits_of(s), bits_of(w), bits_of_brain(b), bits_of_brain(c));
    if (__builtin_isfinite(h))
      printf(" %lld %d %u %d", (long long)h, (int)(short)h, (unsigned)(h < 0 ? 0 : h), (int)(__int128)h);
    printf("\n");
  }
}

typedef H half4 __attribute__((vector_size(8)));
typedef H half8 __attribute__((vector_size(16)));

struct mixed {
  char c;
  H h;
  B b;
  H more[3];
};

static struct mixed changed(struct mixed m, H by) {
  m.h *= by;
  m.b = (float)m.b + 1;
  for (int i = 0; i < 3; i++)
    m.more[i] -= by;
  return m;
}

static H total(int n, ...) {
  va_list list;
  va_start(list, n);
  H sum = 0;
  for (int i = 0; i < n; i++)
    sum += va_arg(list, H) * (H)va_arg(list, double) + va_arg(list, int);
  va_end(list);
  return sum;
}

static H (*volatile pointer)(int, ...) = total;
static H table[4] = {1, -2.5, 65504, 1e-7};
static _Complex _Float16 turn = 1;

int main(void) {
  narrowing();
  arithmetic();
  functions();
  integers();
  half4 v = {1, 2, 3, 4}, w = {(H)0.5, -1, 1000, (H)1e-6};
  half8 x = {1, 2, 3, 4, 5, 6, 7, 8};
  half4 product = v * w + v, less = (half4)(v < w);
  x = -x * x;
  for (int i = 0; i < 4; i++)
    printf("%x %x %x %x\n", bits_of(product[i]), bits_of(less[i]), bits_of(x[2 * i]), bits_of(table[i]));
  struct mixed m = changed((struct mixed){1, 2, 3, {4, 5, 6}}, (H)0.25);
  printf("%x %x %x %x\n", bits_of(m.h), bits_of_brain(m.b), bits_of(m.more[0]), bits_of(m.more[2]));
  printf("%x\n", bits_of(total(2, (H)1.5, 2.0, 3, (H)0.5, 4.0, -1)));
  printf("%x\n", bits_of(pointer(6, (H)1, 1.0, 1, (H)2, 1.0, 1, (H)3, 1.0, 1, (H)4, 1.0, 1, (H)5, 1.0, 1, (H)6, 1.0, 1)));
  turn *= 2 + 1i;
  turn /= (_Complex _Float16)(1 - 1i);
  printf("%x %x\n", bits_of(__real__ turn), bits_of(__imag__ turn));
  _Atomic H atomic = 1;
  atomic += 2;
  printf("%x\n", bits_of(atomic));
  fesetround(FE_UPWARD);
  volatile H tenth = 1, ten = 10;
  volatile float third = 1 / 3.0f;
  printf("%x %x\n", bits_of(tenth / ten), bits_of((H)third));
  return 0;
}
