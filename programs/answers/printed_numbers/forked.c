// A child has a copy of what its parent has printed and not written yet; so has its own standard output, when that is another's.
// cleave: expect paths=6 failed=0
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cleave.h>

int main(void)
{
	unsigned char c = __VERIFIER_nondet_uchar();
	int ends[2], status;
	char text[16] = { 0 };
	printf("%.2f\n", c * 2.0);
	printf("%g ", c / 4.0);
	if (!fork()) {
		printf("child %.3f", c / 4.0);
		return c > 7 ? 1 : 0;
	}
	wait(&status);
	printf("parent %d %e\n", WEXITSTATUS(status), c / 4.0);
	fflush(stdout);
	if (c > 3)
		return 0;
	printf("%g", c / 2.0);
	pipe(ends);
	if (!fork()) {
		dup2(ends[1], 1);
		return 0;
	}
	wait(&status);
	read(ends[0], text, sizeof text - 1);
	fprintf(stderr, "%f\n", c / 2.0);
	return text[0] == '1' ? 3 : text[1] == '.' ? 4 : 5;
}
