// Flags, widths, precisions and sizes of all conversions, also from arguments: the text is that of the native library.
// cleave: expect paths=3..9
#include <stdio.h>
#include <cleave.h>

static void show(double x, long double y, float z)
{
	printf("[%f|%F|%.0f|%#.0f|%+f|% f|%012.3f|%-12.3f|%12.3f]\n", x, x, x, x, x, x, x, x, x);
	printf("[%e|%E|%.0e|%#.0e|%+.17e|%020e|%-20e|%20.3e]\n", x, x, x, x, x, x, x, x);
	printf("[%g|%G|%.0g|%#g|%+.3g|%010g|%-10g|%10.12g|%.30g]\n", x, x, x, x, x, x, x, x, x);
	printf("[%a|%A|%.0a|%#.0a|%.3a|%+a|%030a|%-30a|%30a]\n", x, x, x, x, x, x, x, x, x);
	printf("[%Lf|%Le|%Lg|%La|%.40Lf|%30.20Lg|%.15La]\n", y, y, y, y, y, y, y);
	printf("[%*f|%-*.*f|%.*e|%s %d %c %%]\n", 14, z, 14, 2, z, 3, z, "text", 42, 'c');
	printf("%2$g and %1$d and %2$f\n", 7, x);
	fprintf(stderr, "[%f|%300.200f]\n", x, x);
}

int main(void)
{
	double x = __VERIFIER_nondet_double();
	if (x != x)
		show(x, x, x);
	else if (x > 1e300)
		show(x, x, x);
	else if (x < -1e20)
		show(x, x, -1);
	else if ((x > 123456.7) & (x < 123456.8))
		show(x, x * (long double)1e300, x);
	else if ((x > 9.9995) & (x < 9.99951))
		show(x, x / 3, x);
	else if ((x < 0) & (x > -1e-300))
		show(x, x * (long double)1e-300, x);
	else if ((x > 1e-5) & (x < 2e-5))
		show(x, x, x);
	else if (x == 0)
		show(x, x, x);
	else
		show(x / 3, x, x);
	return 0;
}
