/* What cannot be executed says why, and the program goes on as it was. */
// cleave: program target=target.c
// cleave: expect paths=1
// cleave: exit 0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void make(const char *name, const char *text, int mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	write(fd, text, strlen(text));
	fchmod(fd, mode);
	close(fd);
}

static void try(const char *path)
{
	char *arguments[] = {"name", 0}, *none[] = {0};
	execve(path, arguments, none);
	printf("%s: %s\n", path, strerror(errno));
}

int main(void)
{
	make("empty", "", 0755);
	make("text", "echo hello\n", 0755);
	make("plain", "#!/bin/target\n", 0644);
	make("orphan", "#!/bin/nothing\n", 0755);
	make("nobody", "#!   \n", 0755);
	make("itself", "#!/itself\n", 0755);
	symlink("link", "link");
	try("empty");
	try("text");
	try("plain");
	try("orphan");
	try("nobody");
	try("itself");
	try("link");
	try("");
	try("/bin");
	try("/bin/nothing");
	try("/bin/target/");
	try("/bin/target/more");
	chmod("/bin", 0600);
	try("/bin/target");
	chmod("/bin", 0755);
	chmod("/bin/target", 0444);
	try("/bin/target");
	chmod("/bin/target", 0555);
	char *long_one = malloc(200000);
	memset(long_one, 'x', 199999);
	long_one[199999] = 0;
	char *arguments[] = {"name", long_one, 0}, *none[] = {0};
	execve("/bin/target", arguments, none);
	printf("long: %s\n", strerror(errno));
	syscall(SYS_execveat, AT_FDCWD, "/bin/target", none, none, 1);
	printf("flags: %s\n", strerror(errno));
	symlink("/bin/target", "name");
	syscall(SYS_execveat, AT_FDCWD, "name", none, none, AT_SYMLINK_NOFOLLOW);
	printf("link: %s\n", strerror(errno));
	execlp("nothing", "nothing", (char *)0);
	printf("searched: %s\n", strerror(errno));
	return 0;
}
