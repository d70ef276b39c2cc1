/* The shell of shells.c: `sh -c` with commands of words that begin with what they execute, joined by | and by &&. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void execute(char *command)
{
	char *words[8] = {0};
	int n = 0;
	for (char *word = strtok(command, " "); word && n < 7; word = strtok(0, " "))
		words[n++] = word;
	if (!n)
		_exit(0);
	if (!strcmp(words[0], "exit"))
		_exit(words[1] ? atoi(words[1]) : 0);
	execvp(words[0], words);
	_exit(127);
}

/* The status of a pipeline is that of its last command. */
static int run(char *pipeline)
{
	int in = -1, status = 0;
	pid_t last = 0;
	for (char *next; pipeline; pipeline = next) {
		int ends[2] = {-1, -1};
		if ((next = strchr(pipeline, '|'))) {
			*next++ = 0;
			if (pipe(ends))
				return 125;
		}
		if (!(last = fork())) {
			if (in >= 0)
				dup2(in, 0), close(in);
			if (next)
				dup2(ends[1], 1), close(ends[0]), close(ends[1]);
			execute(pipeline);
		}
		if (in >= 0)
			close(in);
		if (next)
			close(ends[1]);
		in = ends[0];
	}
	while (waitpid(last, &status, 0) < 0)
		;
	while (wait(0) > 0)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	int status = 0;
	if (argc < 3 || strcmp(argv[1], "-c"))
		return 2;
	for (char *part = argv[2], *next; part && !status; part = next) {
		if ((next = strstr(part, "&&")))
			*next = 0, next += 2;
		status = run(part);
	}
	return status;
}
