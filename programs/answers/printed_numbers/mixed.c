// Standard output and standard error in one file, buffered in several ways, beside calls of the system.
// cleave: expect paths=3
#include <stdio.h>
#include <unistd.h>
#include <cleave.h>

int main(void)
{
	float x = __VERIFIER_nondet_float();
	dup2(1, 2);
	printf("first %f", x);
	fprintf(stderr, "error %g\n", x);
	write(1, "write\n", 6);
	printf(" line %f\n", x);
	printf("held %f", x);
	fprintf(stderr, "error %5.1f\n", x);
	fflush(stdout);
	setvbuf(stdout, NULL, _IONBF, 0);
	printf("at once %f,", x);
	fputs("error\n", stderr);
	if (x > 1000) {
		setvbuf(stdout, NULL, _IOLBF, 0);
		printf("%g\nagain %g", x, x);
		dprintf(1, "<%a>", x);
		_exit(1);
	}
	if (x < 0) {
		fclose(stdout);
		fprintf(stderr, "%e", x);
		return 2;
	}
	return 0;
}
