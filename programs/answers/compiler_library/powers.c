// `__builtin_powi` of numbers and exponents that depend on the input, and mathematical functions that clang makes intrinsics of.
// cleave: expect failed=0 unsupported=0 open=0
// cleave: flags -fno-math-errno
// cleave: code 0
#include <klee/klee.h>
#include <math.h>

int main(void)
{
	unsigned char c;
	klee_make_symbolic(&c, 1, "c");
	klee_assume(c < 12);
	int n = (int)c - 4;
	volatile double base = 1.5;
	volatile float small = 2;
	volatile long double extended = -0.5L;
	if (c == 11)
		return (int)(100 * sin(base)) ^ (int)(10 * expf(small)) ^ (int)powl(extended, 3);
	double p = __builtin_powi(base, n);
	float q = __builtin_powif(small, n);
	long double r = __builtin_powil(extended, n);
	return (int)(p * 4) + (q > 1) + (r < 0 ? 64 : 0);
}
