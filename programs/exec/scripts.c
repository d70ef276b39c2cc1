/* Files that begin with #! are run by what stands there. */
// cleave: program target=target.c
// cleave: args --sym-arg 1
// cleave: expect paths=4
// cleave: needs namespaces
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	write(fd, text, strlen(text));
	fchmod(fd, 0755);
	close(fd);
}

int main(int argc, char **argv)
{
	make("/usr/bin/first", "#! /bin/target  two words \t \nrest\n");
	make("second", "#!/usr/bin/first argument");
	make("third", "#!/bin/target\n");
	if (argv[1][0] == '1')
		execlp("first", "name", "more", "arguments", (char *)0);
	if (argv[1][0] == '2')
		execl("./second", "name", "more", (char *)0);
	if (argv[1][0] == '3') {
		char *none[] = {0};
		fexecve(open("third", O_RDONLY), none, none);
	}
	return 3;
}
