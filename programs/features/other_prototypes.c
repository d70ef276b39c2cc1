// Calls by another prototype than the callee's, without one, and of functions defined the old way: the calling
// convention says what happens. Integers and floating-point numbers have registers of their own, arguments too many
// stay where they are, and one that is missing does no harm where nobody looks at it.
//
// cleave: expect paths=3
// cleave: flags -std=gnu89 -w
// cleave: domain x 0..255
#include <klee/klee.h>
#include <stdarg.h>
#include <stdio.h>

int old(c, s, f, d) char c; short s; float f; double d; { return c + s + (int)(f * 10) + (int)(d * 100); }
static int mixed(int a, double d, long b) { return a + (int)(d * 10) + b; }
static int many(int a, int b, int c, int d, int e, int f, int g, int h) { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h; }
static int reals(double a, double b, int i) { return (int)(a * 2 + b * 3) + i; }
static int ignores(int a, int unused, int b) { return a; }
static int tells(_Bool truth) { return truth ? 7 : 9; }
static unsigned byte(unsigned char c) { return c + 1u; }
static __int128 twice(__int128 a, int b) { return 2 * a + b; }
static int single(float f) { return (int)(f * 4); }
static char last(int n) { return n; }
static long single_of(int n) { return n | 1L << 40; }
static int same(int n) { return n; }

static int sum(int n, ...)
{
	va_list list;
	int s = 0;
	va_start(list, n);
	while (n--)
		s += va_arg(list, int);
	va_end(list);
	return s;
}

static double half(double d, ...)
{
	va_list list;
	va_start(list, d);
	double first = va_arg(list, double);
	int second = va_arg(list, int);
	va_end(list);
	return d + first / 2 + second;
}

int main(void)
{
	unsigned char x;
	klee_make_symbolic(&x, sizeof x, "x");
	printf("%d %d\n", old('a', 3, 1.5, 2.25), old(-5, -300, -1.5, 0.5));
	/* The same registers, whatever the order between the two classes. */
	printf("%d\n", ((int (*)())mixed)(1, 2.5, 3L));
	printf("%d\n", ((int (*)(double, int, long))mixed)(2.5, 1, 3L));
	printf("%d\n", ((int (*)(int, double, double, long))reals)(4, 1.5, 2.5, 9L));
	printf("%d\n", ((int (*)(double))single)(3.0));
	printf("%d\n", ((int (*)())many)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
	printf("%d\n", ((int (*)(long, long, long, long, long, long, long, long))many)(1, 2, 3, 4, 5, 6, 7, 1L << 40 | 8));
	printf("%d\n", ((int (*)())ignores)(5));
	printf("%d %d\n", ((int (*)())tells)(1), ((int (*)())tells)(0));
	printf("%u\n", ((unsigned (*)(int))byte)(100));
	printf("%d\n", (int)((__int128 (*)())twice)((__int128)21, 5));
	printf("%d\n", ((int (*)())sum)(3, 10, 20, x));
	printf("%d\n", ((int (*)(int, int, int))sum)(2, 10, 20));
	printf("%g\n", ((double (*)())half)(1.0, 3.0, 4));
	((void (*)(int))last)(1);
	/* A narrow result is certain where it is small, whoever extends it. */
	printf("%d %d\n", ((short (*)(int))same)(1000), ((_Bool (*)(int))same)(1));
	printf("%d\n", ((signed char (*)(int))same)(x & 63) & 64);
	if (((int (*)(long))single_of)(x) == 'b')
		return 2;
	return 0;
}
