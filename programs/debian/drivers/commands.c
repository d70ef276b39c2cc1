/* system() and popen() with input bytes in the commands that the shell gets: pipelines, statuses, a pipe to a child. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static int ended(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
	char command[96], line[64];
	int bytes = 0, c;
	const char *word = argc > 1 ? argv[1] : "";

	snprintf(command, sizeof command, "echo %s | cat", word);
	FILE *from = popen(command, "r");
	if (!from)
		return 1;
	while ((c = getc(from)) != EOF) {
		putchar(c);
		bytes++;
	}
	printf("%d bytes, status %d\n", bytes, ended(pclose(from)));
	fflush(stdout);
	FILE *to = popen("cat; exit 4", "w");
	if (!to)
		return 1;
	fprintf(to, "to cat: %s\n", word);
	printf("status %d\n", ended(pclose(to)));
	fflush(stdout);
	snprintf(line, sizeof line, "test %s && exit 3", word);
	return ended(system(line)) & 255;
}
