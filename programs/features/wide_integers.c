// 128-bit integers: all operations, conversions to and from double, overflow builtins, bit builtins.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdint.h>
#include <stdio.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

static void show(const char *what, u128 v) { printf("%s %016llx%016llx\n", what, (unsigned long long)(v >> 64), (unsigned long long)v); }

int main(void) {
  volatile uint64_t seed = 0x123456789abcdef1;
  u128 a = (u128)seed * 0xfedcba9876543211u, b = ((u128)seed << 40) | 77;
  i128 n = -(i128)a;
  show("mul", a);
  show("add", a + b);
  show("sub", b - a);
  show("div", a / b);
  show("rem", a % b);
  show("sdiv", (u128)(n / (i128)b));
  show("srem", (u128)(n % (i128)b));
  show("shr", a >> 67);
  show("sar", (u128)(n >> 67));
  show("shl", b << 65);
  show("logic", (a & b) ^ (a | ~b));
  printf("%d %d %d\n", a < b, n < 0, (i128)a > n);
  printf("%.17g %.17g\n", (double)a, (double)n);
  show("from", (u128)(i128)-1.5e30);
  int sum;
  long long product;
  printf("%d %d\n", __builtin_add_overflow(2000000000, (int)(seed >> 34), &sum), __builtin_mul_overflow((long long)seed, 16LL, &product));
  printf("%d %d %d %d %llx\n", __builtin_clzll(seed), __builtin_ctzll(seed << 9), __builtin_popcountll(seed), __builtin_parityll(seed),
         (unsigned long long)__builtin_bswap64(seed));
  uint32_t r = (uint32_t)seed;
  printf("%x %x\n", r << 7 | r >> 25, __builtin_bswap16((uint16_t)seed));
  return 0;
}
