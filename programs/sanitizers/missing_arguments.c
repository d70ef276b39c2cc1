// va_arg beyond the last argument, and of a kind that was not passed.
#include <klee/klee.h>
#include <stdarg.h>

static int sum(int n, ...)
{
	va_list rest;
	int all = 0;
	va_start(rest, n);
	for (int i = 0; i < n; i++)
		all += va_arg(rest, int); //~ ERROR ptr
	va_end(rest);
	return all;
}

static double last(int n, ...)
{
	va_list rest;
	double value = 0;
	va_start(rest, n);
	for (int i = 0; i < n; i++)
		value = va_arg(rest, double); //~ ERROR ptr
	va_end(rest);
	return value;
}

int main(void)
{
	unsigned char k;
	klee_make_symbolic(&k, sizeof k, "k");
	if (k == 1)
		return sum(4, 1, 2, 3) != 6;
	if (k == 2)
		return sum(8, 1, 2, 3, 4, 5, 6, 7) != 28;
	if (k == 3)
		return last(1, 1) != 1;
	if (k == 4)
		return sum(8, 1, 2, 3, 4, 5, 6, 7, 8) != 36;
	if (k == 5)
		return last(3, 1.0, 2.0, 3.0) != 3;
	return 0;
}
