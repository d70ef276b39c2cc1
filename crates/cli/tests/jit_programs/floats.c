// Floating-point numbers: ordinary ones, zeros, infinities, and what is no number; the hash of all results is the offset of a bug.
#include <stdint.h>
#include <string.h>
static uint64_t h;
static void add(double x, float y, long n) {
  uint64_t a;
  uint32_t b;
  memcpy(&a, &x, 8);
  memcpy(&b, &y, 4);
  h = (h ^ a) * 0x9E3779B97F4A7C15u + b + (uint64_t)n;
}
int main(void) {
  double v[] = {0.0, -0.0, 1.5, -2.25, 1e300, -1e300, 4e-320, 1e9, -3e9, 9.3e18, 1.0 / 3, 1e18};
  int n = sizeof v / sizeof *v;
  for (int round = 0; round < 30; round++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double x = v[i] + round, y = v[j];
        float f = (float)x, g = (float)y;
        double d = x / y;
        add(x + y, f + g, x < y);
        add(x - y, f - g, x == y);
        add(x * y, f * g, !(x >= y));
        add(d, f / g, d != d);
        add(-x, -f, f > g);
        add(__builtin_sqrt(x), __builtin_sqrtf(g), f != g);
        add(__builtin_floor(x * 0.3), __builtin_ceilf(f * 0.7f), (long)(x * 1e-3));
        add(__builtin_trunc(y * 0.9), __builtin_rintf(g * 0.5f), (int)f);
        add((double)(long)(x * 0.5), (float)(int)(i * 7 - j), (unsigned)(j * 3));
        add((double)(uint64_t)h, (float)h, (uint8_t)(i + 0.5));
        add(__builtin_fmin(x, y), __builtin_fmaxf(f, g), __builtin_isnan(d));
        add(__builtin_copysign(x, y), (float)(x * y), (int64_t)__builtin_fabs(y * 1e-9));
      }
  char small[4] = {1, 2, 3, 4};
  return small[4 + h % 1000];
}
