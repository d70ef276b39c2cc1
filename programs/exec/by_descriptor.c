/* fexecve, and a program that has lost its name. */
// cleave: program target=target.c
// cleave: args --sym-arg 1
// p; m; and of the others nothing, x, u, and the rest.
// cleave: expect paths=6
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char *arguments[] = {"target", argv[1], 0}, *variables[] = {"A=b", 0};
	int fd = open("/bin/target", argv[1][0] == 'p' ? O_PATH : O_RDONLY | O_CLOEXEC);
	struct stat status;
	fstat(fd, &status);
	printf("%o %d\n", status.st_mode, (int)status.st_nlink);
	fflush(stdout);
	rename("/bin/target", "/moved");
	if (argv[1][0] == 'm') {
		unlink("/usr/bin/target");
		execv("/moved", arguments);
	}
	fexecve(fd, arguments, variables);
	return 1;
}
