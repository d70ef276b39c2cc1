// Products and quotients of complex numbers, whose special cases are in the compiler's own library.
// cleave: expect failed=0 unsupported=0 open=0
// cleave: code 0
#include <assert.h>
#include <complex.h>
#include <math.h>
#include <klee/klee.h>
int main(int argc, char **argv) {
  unsigned char c; klee_make_symbolic(&c, 1, "c");
  double a[] = { 1, -2, INFINITY, NAN, 0 };
  double complex z = a[c % 5] + a[c / 5 % 5] * I, w = z * z, q = 1 / (z + 3);
  if (isnan(creal(w)) && isnan(cimag(w))) return 1;
  if (cabs(q) > 1) return 2;
  return creal(w) > 0 ? 3 : 4;
}
