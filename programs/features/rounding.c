// The rounding mode: arithmetic, conversions, square roots and the C library's functions in each of the four.
//
// cleave: expect paths=1
// cleave: exit 0
// cleave: flags -frounding-math
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile double one = 1, three = 3, ten = 10, tiny = 5e-324, huge = 1.7976931348623157e308, half = 2.5;
static volatile float fone = 1, fthree = 3;
static volatile long double lone = 1, lthree = 3;
static volatile long many = 0x7fffffffffffffff;
static volatile unsigned long most = 0xfffffffffffffffe;

static unsigned long bits(double d) {
  unsigned long u;
  memcpy(&u, &d, sizeof u);
  return u;
}

static unsigned fbits(float f) {
  unsigned u;
  memcpy(&u, &f, sizeof u);
  return u;
}

static void lprint(const char *what, long double d) {
  unsigned char b[16] = {0};
  memcpy(b, &d, 10);
  printf(" %s=", what);
  for (int i = 9; i >= 0; i--) printf("%02x", b[i]);
}

static void all(const char *mode) {
  printf("%s %x %d\n", mode, fegetround(), FLT_ROUNDS);
  double quotient = one / three, sum = one + quotient, product = quotient * ten, none = one - one;
  double negative = -one / three, over = huge * ten, under = tiny / three, root = sqrt(three);
  double fused = fma(quotient, ten, -three);
  float fquotient = fone / fthree, narrow = (float)quotient, froot = sqrtf(fthree);
  long double lquotient = lone / lthree, lproduct = lquotient * lquotient, lroot = sqrtl(lthree);
  printf(" %lx %lx %lx %lx %lx %lx %lx %lx %lx\n", bits(quotient), bits(sum), bits(product), bits(none), bits(negative),
         bits(over), bits(under), bits(root), bits(fused));
  printf(" %x %x %x", fbits(fquotient), fbits(narrow), fbits(froot));
  lprint("quotient", lquotient);
  lprint("product", lproduct);
  lprint("root", lroot);
  double back = (double)lquotient, of_long = many;
  float of_unsigned = most;
  printf("\n %lx %lx %x %lx %x\n", bits(back), bits(of_long), fbits(of_unsigned), bits((double)(float)many), fbits((float)lroot));
  printf(" %g %g %g %g %ld %ld %g %g\n", rint(half), rint(-half), nearbyint(half), round(half), lrint(half), lrint(-half),
         floor(half), ceil(-half));
  printf(" %.3f %.2e %.0f %s\n", 0.0625, 1.005, half, strtod("0.1", 0) > 0.1 ? "more" : "not more");
}

int main(void) {
  all("nearest");
  const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST};
  const char *const names[] = {"down", "up", "zero", "nearest"};
  for (int i = 0; i < 4; i++) {
    if (fesetround(modes[i])) return 1;
    all(names[i]);
  }
  printf("%d %d\n", fesetround(1) != 0, fegetround());
  fenv_t saved;
  fesetround(FE_UPWARD);
  fegetenv(&saved);
  fesetenv(FE_DFL_ENV);
  printf("%x", fegetround());
  fesetenv(&saved);
  printf(" %x", fegetround());
  feholdexcept(&saved);
  fesetround(FE_TOWARDZERO);
  feupdateenv(&saved);
  printf(" %x\n", fegetround());
  return 0;
}
