// Sums, quotients, comparisons and conversions of `__float128`, of operands that depend on the input.
// cleave: expect (-O2) paths=20..49 failed=0 unsupported=0 open=0
// cleave: expect paths=49 failed=0 unsupported=0 open=0
// cleave: code 0
#include <assert.h>
#include <klee/klee.h>

static const __float128 values[] = {0, -0.0, 1, -3, 1e-4930Q, __builtin_inff128(), 0.1Q};

int main(void)
{
	unsigned char c;
	klee_make_symbolic(&c, 1, "c");
	unsigned n = sizeof values / sizeof *values, k = 0;
	while (k < n * n - 1 && c != k)
		k++;
	__float128 a = values[k % n], b = values[k / n];
	__float128 sum = a + b, quotient = a / b, product = a * b;
	int order = (a < b) + 2 * (a == b) + 4 * (a > b) + 8 * !(sum == sum) + 16 * (quotient != quotient);
	int whole = a < 100 && a > -100 ? (int)(a * 10) : 0;
	double near = product;
	long double extended = quotient;
	return (order + whole + (near > 0.25) + 2 * (extended < 0.5L)) & 127;
}
