/* Functions that C23 adds, which musl 1.2.3 has not. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void *memset_explicit(void *object, int value, size_t size)
{
	memset(object, value, size);
	__asm__ volatile("" : : "r"(object) : "memory");
	return object;
}

void free_sized(void *object, size_t size)
{
	free(object);
}

void free_aligned_sized(void *object, size_t alignment, size_t size)
{
	free(object);
}

size_t memalignment(const void *pointer)
{
	uintptr_t address = (uintptr_t)pointer;
	return address & -address;
}

/* The format is one conversion of a number, perhaps with a precision. */
#define STRFROM(name, type, before)                                                                     \
	int name(char *restrict to, size_t size, const char *restrict format, type value)               \
	{                                                                                               \
		char whole[16];                                                                         \
		size_t n = strlen(format);                                                              \
		if (n < 2 || n > sizeof whole - 2 || format[0] != '%')                                  \
			return -1;                                                                      \
		snprintf(whole, sizeof whole, "%.*s" before "%c", (int)n - 1, format, format[n - 1]);   \
		return snprintf(to, size, whole, value);                                                \
	}

STRFROM(strfromd, double, "")
STRFROM(strfromf, float, "")
STRFROM(strfroml, long double, "L")

int timespec_getres(struct timespec *resolution, int base)
{
	if (base != TIME_UTC)
		return 0;
	clock_getres(CLOCK_REALTIME, resolution);
	return base;
}

#define OF_TWO(type, suffix)                                                                            \
	type fmaximum##suffix(type x, type y)                                                           \
	{                                                                                               \
		return x > y ? x : y > x ? y : x == y ? (signbit(x) ? y : x) : x + y;                   \
	}                                                                                               \
	type fminimum##suffix(type x, type y)                                                           \
	{                                                                                               \
		return x < y ? x : y < x ? y : x == y ? (signbit(x) ? x : y) : x + y;                   \
	}                                                                                               \
	type fmaximum_num##suffix(type x, type y)                                                       \
	{                                                                                               \
		return isnan(x) ? (isnan(y) ? x + y : y) : isnan(y) ? x : fmaximum##suffix(x, y);       \
	}                                                                                               \
	type fminimum_num##suffix(type x, type y)                                                       \
	{                                                                                               \
		return isnan(x) ? (isnan(y) ? x + y : y) : isnan(y) ? x : fminimum##suffix(x, y);       \
	}                                                                                               \
	/* Of a half the even neighbour. */                                                             \
	type roundeven##suffix(type x)                                                                  \
	{                                                                                               \
		type whole = trunc##suffix(x), rest = fabs##suffix(x - whole);                          \
		type away = whole + copysign##suffix(1, x);                                             \
		if (rest > (type)0.5 || (rest == (type)0.5 && trunc##suffix(whole / 2) * 2 != whole))   \
			return away;                                                                    \
		return copysign##suffix(whole, x);                                                      \
	}

OF_TWO(double, )
OF_TWO(float, f)
OF_TWO(long double, l)
