/* A program that executes itself as often as its argument says: up to nine times, with what is left as the argument. */
// cleave: program again=again.c
// cleave: args --sym-arg 1
// No character, one that is no digit below or above, and ten digits.
// cleave: expect paths=13
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char *left = argv[1];
	if (!left[0])
		return 20;
	if (left[0] < '0')
		return 21;
	if (left[0] > '9')
		return 22;
	if (left[0] == '0')
		return argc;
	char fewer[2] = {left[0] - 1, 0};
	char *arguments[20] = {"again", fewer};
	for (int i = 2; i <= argc; i++)
		arguments[i] = "once";
	execv("/bin/again", arguments);
	return 1;
}
