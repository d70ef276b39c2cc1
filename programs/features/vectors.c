// Vectors of the compiler: arithmetic, comparisons, shifts, selections, lanes by index, shuffles, conversions.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int32_t v4 __attribute__((vector_size(16)));
typedef uint8_t v16 __attribute__((vector_size(16)));
typedef int16_t v8 __attribute__((vector_size(16)));
typedef double d2 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef uint64_t v2 __attribute__((vector_size(16)));
typedef int64_t l4 __attribute__((vector_size(32)));

static volatile int seed = 12345;

static void show4(const char *what, v4 v) { printf("%s %d %d %d %d\n", what, v[0], v[1], v[2], v[3]); }

static v4 mix(v4 a, v4 b, int lane) {
  a[lane] ^= b[3 - lane];
  return a * b + lane;
}

int main(void) {
  int s = seed;
  v4 a = {s, -s, s * 7, s - 20000}, b = {3, -5, 1 << 20, s};
  show4("add", a + b);
  show4("sub", a - b);
  show4("mul", a * b);
  show4("div", a / b);
  show4("rem", a % b);
  show4("and", (a & b) | ~a);
  show4("shl", a << (b & 31));
  show4("shr", a >> (b & 31));
  show4("less", a < b);
  show4("equal", a == (v4){s, s, s * 7, 0});
  show4("neg", -a);
  show4("mix", mix(a, b, s % 4));
  show4("choice", (a & (a > 0)) | (b & ~(a > 0)));
  show4("shuffle", __builtin_shufflevector(a, b, 7, 0, 5, 2));
  v16 bytes;
  for (int i = 0; i < 16; i++) bytes[i] = (uint8_t)(s * (i + 3));
  v16 limits = bytes + (uint8_t)200;
  uint8_t out[16];
  memcpy(out, &limits, sizeof out);
  for (int i = 0; i < 16; i++) printf("%d ", out[i]);
  printf("\n");
  v8 halves = __builtin_convertvector((__builtin_shufflevector(bytes, bytes, 0, 2, 4, 6, 8, 10, 12, 14)), v8);
  halves = halves * halves - (int16_t)s;
  for (int i = 0; i < 8; i++) printf("%d ", halves[i]);
  printf("\n");
  d2 d = {s / 7.0, -1.5};
  f4 f = __builtin_convertvector(a, f4);
  d = d * d + (d2){1, 2};
  f = f / 3.0f - (f4){1, 2, 3, 4};
  printf("%.17g %.17g %.9g %.9g %.9g %.9g\n", d[0], d[1], f[0], f[1], f[2], f[3]);
  v2 words = (v2)a;
  words = words << 3 ^ (v2)b;
  printf("%llx %llx\n", (unsigned long long)words[0], (unsigned long long)words[1]);
  l4 wide = __builtin_convertvector(a, l4);
  wide *= wide;
  printf("%lld %lld %lld %lld\n", (long long)wide[0], (long long)wide[1], (long long)wide[2], (long long)wide[3]);
  printf("%d %d %d\n", __builtin_reduce_add(a), __builtin_reduce_max(a), __builtin_reduce_xor(b));
  show4("max", __builtin_elementwise_max(a, b));
  show4("compare doubles", (v4)(d > (d2){1, 2}));
  return 0;
}
