/* system() and popen(), to read and to write, run a shell whose command has input bytes in it, and the shell's children have
 * them as arguments and through pipes. */
// cleave: program /bin/sh=small_shell.c
// cleave: program shouts=shouts.c
// cleave: args --sym-arg 1
// cleave: needs namespaces
// No character, one below, one above, z; x or y.
// cleave: expect paths=4
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static int ended(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
	char command[64], line[32];
	int lines = 0;
	if (argv[1][0] < 'x' || argv[1][0] > 'z')
		return 1;
	snprintf(command, sizeof command, "shouts %s && exit 3", argv[1]);
	fflush(stdout);
	printf("system: %d\n", ended(system(command)));
	fflush(stdout);
	snprintf(command, sizeof command, "shouts a%s | shouts | shouts", argv[1]);
	FILE *from = popen(command, "r");
	while (from && fgets(line, sizeof line, from))
		printf("%d: %s\n", ++lines, line);
	printf("from: %d\n", from ? ended(pclose(from)) : -2);
	fflush(stdout);
	FILE *to = popen("shouts", "w");
	if (to)
		fprintf(to, "b%s\n", argv[1]);
	printf("to: %d, nobody: %d\n", to ? ended(pclose(to)) : -2, ended(system("nobody")));
	return 0;
}
