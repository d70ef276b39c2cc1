// Products and quotients of complex numbers of all three precisions, of special and of random operands.
//
// cleave: expect paths=1
// cleave: exit 0
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t seed = 88172645463325252u;

static uint64_t random_bits(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

static double part(void) {
  static const double special[] = {0.0, -0.0, 1, -2.5, INFINITY, -INFINITY, NAN, 1e308, -1e-308, 3e38, 1e-45};
  uint64_t r = random_bits();
  if (r % 2)
    return special[r / 2 % (sizeof special / sizeof *special)];
  return ((double)(int64_t)random_bits() / 0x1p63) * (r % 4 ? 1e10 : 1e-10);
}

/* What is no number is one answer. */
static void show(double d) {
  if (isnan(d))
    printf(" nan");
  else
    printf(" %a", d);
}

static void show_long(long double d) {
  if (isnan(d))
    printf(" nan");
  else
    printf(" %La", d);
}

int main(void) {
  for (int i = 0; i < 200; i++) {
    volatile double complex a = CMPLX(part(), part()), b = CMPLX(part(), part());
    volatile float complex c = a, d = b;
    volatile long double complex e = a, f = b;
    double complex product = a * b, quotient = a / b;
    float complex small = c * d, ratio = c / d;
    long double complex large = e * f, share = e / f;
    show(creal(product)), show(cimag(product)), show(creal(quotient)), show(cimag(quotient));
    show(crealf(small)), show(cimagf(small)), show(crealf(ratio)), show(cimagf(ratio));
    show_long(creall(large)), show_long(cimagl(large)), show_long(creall(share)), show_long(cimagl(share));
    printf("\n");
  }
  volatile double complex z = CMPLX(0.5, -1.25), root = csqrt(z), power = cexp(z) * conj(z);
  printf("%.9g %.9g %.9g %.9g %.9g\n", creal(root), cimag(root), creal(power), cimag(power), cabs(1 / z));
  return 0;
}
