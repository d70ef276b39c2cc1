/* Mathematical functions that are operations of the engine: exact, or rounded once, so that their results are those of musl.
 * An input that is not known stays one term; musl's own functions would branch at each digit of a quotient or of a root. */
#include <math.h>
#include "libm.h"

/* remainder: the quotient is rounded to an integer, of two to the even one. So what is left by twice the divisor says all;
 * where that overflows, it is more than x. Each subtraction is exact. */
#define OPERATIONS(type, suffix)                                         \
	type sqrt##suffix(type x)                                        \
	{                                                                \
		return __builtin_elementwise_sqrt(x);                    \
	}                                                                \
	type fma##suffix(type x, type y, type z)                         \
	{                                                                \
		return __builtin_elementwise_fma(x, y, z);               \
	}                                                                \
	type fmod##suffix(type x, type y)                                \
	{                                                                \
		return __builtin_fmod##suffix(x, y);                     \
	}                                                                \
	type remainder##suffix(type x, type y)                           \
	{                                                                \
		type n = fabs##suffix(y), twice = n + n, r = x, t;       \
		/* No numbers, or an infinite x. */                      \
		if (y != y || x - x != 0 || n == 0)                      \
			return (x * y) / (x * y);                        \
		if (twice - n == n)                                      \
			r = __builtin_fmod##suffix(x, twice);            \
		r = fabs##suffix(r);                                     \
		if (r > n - r) {                                         \
			t = r - n;                                       \
			r = t < n - t ? t : t - n;                       \
			/* Rounding down, a difference of zero is -0. */ \
			if (r == 0)                                      \
				r = 0;                                   \
		}                                                        \
		return signbit(x) ? -r : r;                              \
	}                                                                \
	weak_alias(remainder##suffix, drem##suffix);

OPERATIONS(float, f)
OPERATIONS(double, )
OPERATIONS(long double, l)
