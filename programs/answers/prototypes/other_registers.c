// A prototype says int where the function takes a double, and the other way round: each finds nothing in its own register.
// Pointers and integers stand in the same registers, and arguments too many are not looked at.
// cleave: levels -O0
// cleave: expect paths=2 failed=2 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>
#include <stdint.h>

static int positive(double x)
{
	if (x > 0) //~ ERROR uninitialised
		return 1;
	return 0;
}
static int third(double x, int n, double y)
{
	(void)x;
	(void)y;
	if (n == 5) //~ ERROR uninitialised
		return 1;
	return 0;
}
static int length(const char *text, uintptr_t more)
{
	int n = 0;
	while (text[n])
		n++;
	return n + (int)more;
}

static void *volatile function;

int main(void)
{
	switch (klee_range(0, 4, "choice")) {
	case 0:
		function = positive;
		return ((int (*)(int))function)(1);
	case 1:
		function = third;
		return ((int (*)(double, double))function)(1, 5);
	case 2:
		function = third;
		return ((int (*)(int, double, double, int))function)(5, 1, 2, 9) != 1;
	default:
		function = length;
		return ((int (*)(uintptr_t, char *, int))function)((uintptr_t) "four", (char *)1, 9) != 5;
	}
}
