// A buffer of 1024 bytes is written when it is full, and lost when the process ends without a flush: where it was full depends on how
// long the numbers in front were.
// cleave: expect paths=3
#include <stdio.h>
#include <unistd.h>
#include <cleave.h>

int main(void)
{
	double x = __VERIFIER_nondet_double();
	printf("begins\n");
	for (int i = 0; i < 40; i++)
		printf("%d: %f %-8s|", i, x, "text");
	if (x > 1e200)
		_exit(1);
	putchar('!');
	if (x > 1e100) {
		fflush(stdout);
		printf("%g", x);
		_exit(2);
	}
	printf("\n%e\n", x);
	return 0;
}
