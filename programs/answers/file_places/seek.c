// A place out of a file's header, of 32 bits: a path for each place in the file, and one for all behind its end.
// cleave: args A --sym-files 1 8
// cleave: expect paths=10 failed=0
// cleave: code 0
#include <stdio.h>

int main(int argc, char **argv)
{
	FILE *file = fopen(argv[1], "r");
	unsigned at;
	if (!file || fread(&at, 4, 1, file) != 1)
		return 90;
	if (fseek(file, at, SEEK_SET))
		return 91;
	if (getc(file) == EOF)
		return at == 8 ? 8 : 9;
	return (int)ftell(file) - 1;
}
