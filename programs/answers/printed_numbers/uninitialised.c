// A number that nobody has set is told where it is printed.
// cleave: levels -O0
// cleave: expect paths=1 failed=1
// cleave: replay no
#include <stdio.h>
#include <cleave.h>

int main(void)
{
	double x[2];
	x[0] = __VERIFIER_nondet_double();
	if (__VERIFIER_nondet_bool())
		x[1] = x[0];
	printf("%f\n", x[0]);
	printf("%f\n", x[1]); //~ ERROR uninitialised
	return 0;
}
