/* Descriptors stay open, with what they share, but for those that are closed by it. */
// cleave: program target=target.c
// cleave: expect paths=1
// cleave: exit 9
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	int file = open("file", O_RDWR | O_CREAT, 0600), closed = open("file", O_RDONLY | O_CLOEXEC), both[2];
	write(file, "12345", 5);
	int copy = dup(file), moved = fcntl(closed, F_DUPFD_CLOEXEC, 12), kept = dup2(closed, 15);
	pipe2(both, O_CLOEXEC);
	fcntl(both[1], F_SETFD, 0);
	if (file < 0 || copy < 0 || moved < 0 || kept < 0)
		return 1;
	umask(027);
	mkdir("folder", 0700);
	chdir("folder");
	execl("/usr/bin/target", "target", (char *)0);
	return 1;
}
