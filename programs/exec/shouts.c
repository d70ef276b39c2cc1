/* Executed by shells.c: its arguments or its input in capitals, with a status of 4 where there is a Z. */
#include <ctype.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int status = 0, c;
	for (int i = 1; i < argc; i++)
		for (char *p = argv[i]; *p; p++)
			putchar(*p == 'z' ? (status = 4, 'Z') : *p);
	if (argc == 1)
		while ((c = getchar()) != EOF)
			putchar(c == 'z' ? (status = 4, 'Z') : c == '\n' ? c : '.');
	return status;
}
