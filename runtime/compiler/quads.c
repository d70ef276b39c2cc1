/* Conversions between `__float128` and x87's `long double`, which the sources of the compiler's own library are too old for. Both have
 * the same exponents; x87 has the bit in front of the point, and 49 bits less behind it. */
#include <stdint.h>
#include <string.h>

typedef unsigned __int128 wide;

enum { EXPONENT = 0x7fff, MORE = 49 };
#define FRACTION (((wide)1 << 112) - 1)
#define FRONT ((uint64_t)1 << 63)

struct extended {
	uint64_t significand;
	uint16_t exponent;
};

__float128 __extendxftf2(long double given)
{
	struct extended x = {0};
	memcpy(&x, &given, 10);
	wide exponent = x.exponent & EXPONENT;
	/* A number of the least exponent that has the bit in front all the same is of the next one. */
	exponent |= exponent == 0 & x.significand >> 63;
	wide bits = (wide)(x.exponent >> 15) << 127 | exponent << 112 | (wide)(x.significand & ~FRONT) << MORE;
	__float128 result;
	memcpy(&result, &bits, sizeof result);
	return result;
}

long double __trunctfxf2(__float128 given)
{
	wide bits;
	memcpy(&bits, &given, sizeof bits);
	unsigned exponent = bits >> 112 & EXPONENT;
	wide fraction = bits & FRACTION, half = (wide)1 << (MORE - 1);
	uint64_t kept = fraction >> MORE;
	wide rest = fraction & (((wide)1 << MORE) - 1);
	int no_number = exponent == EXPONENT & fraction != 0;
	int up = !no_number & (rest > half | (rest == half & kept & 1));
	/* What carries out of the fraction makes the next exponent. */
	uint64_t rounded = kept + up;
	exponent += rounded >> 63;
	rounded &= ~FRONT;
	struct extended x = {rounded, exponent | (bits >> 127) << 15};
	if (exponent)
		x.significand |= FRONT;
	if (no_number)
		x.significand |= FRONT >> 1;
	long double result = 0;
	memcpy(&result, &x, 10);
	return result;
}
