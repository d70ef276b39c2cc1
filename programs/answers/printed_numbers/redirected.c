// Text that waits in a stream goes where its descriptor leads when it is written: numbers in it are text before that changes.
// cleave: expect paths=8 failed=0 unsupported=0
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cleave.h>

/* The last text in the file; where another call leads the descriptor is the input's choice. */
int main(void)
{
	unsigned char c = __VERIFIER_nondet_uchar(), how = __VERIFIER_nondet_uchar();
	char text[16] = { 0 };
	__VERIFIER_assume(c == 3 || c == 12);
	__VERIFIER_assume(how < 4);
	printf("before %g\n", c / 1.0);
	printf("%g", c / 1.0);
	int fd = open("kept", O_CREAT | O_RDWR, 0600);
	if (how == 0)
		dup2(fd, 1);
	else if (how == 1)
		syscall(SYS_dup2, fd, 1);
	else if (how == 2)
		dup3(fd, 1, 0);
	else {
		fclose(fdopen(1, "w"));
		fcntl(fd, F_DUPFD, 1);
	}
	fflush(stdout);
	pread(fd, text, sizeof text - 1, 0);
	return !strcmp(text, "3") ? 1 : !strcmp(text, "12") ? 2 : 3;
}
