/* A program that has children execute another one: after fork, after vfork, by posix_spawnp, and with a pipe as the child's
 * output. The second character of the argument decides how the child exits. */
// cleave: program says=says.c
// cleave: args --sym-arg 2
// cleave: needs namespaces
// Four ways, of each no second character, an x, a newline (the C library looks for it), another one; no such way.
// cleave: expect paths=17
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void execute(char *argument)
{
	execlp("says", "says", argument, (char *)0);
	_exit(127);
}

int main(int argc, char **argv)
{
	char *arguments[] = {"says", argv[1], 0};
	char line[64];
	int status = 0, ends[2];
	pid_t child = -1;
	switch (argv[1][0]) {
	case 'f':
		if (!(child = fork()))
			execute(argv[1]);
		break;
	case 'v':
		if (!(child = vfork()))
			execute(argv[1]);
		break;
	case 's':
		if (posix_spawnp(&child, "says", 0, 0, arguments, environ))
			return 8;
		break;
	case 'p':
		if (pipe(ends))
			return 7;
		if (!(child = fork())) {
			dup2(ends[1], 1);
			close(ends[0]);
			close(ends[1]);
			execute(argv[1]);
		}
		close(ends[1]);
		FILE *from = fdopen(ends[0], "r");
		while (fgets(line, sizeof line, from))
			printf("got %s", line);
		fclose(from);
		break;
	}
	if (child >= 0 && waitpid(child, &status, 0) != child)
		return 6;
	printf("status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	return 0;
}
