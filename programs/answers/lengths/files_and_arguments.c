// Files and arguments of lengths from one number to another.
// cleave: args --sym-arg 2..4 --sym-files 1 1..2
// cleave: expect paths=6 failed=0
// cleave: code 0
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	FILE *file = fopen("A", "r");
	if (!file)
		return 99;
	fseek(file, 0, SEEK_END);
	int size = (int)ftell(file);
	fclose(file);
	return 10 * size + (int)strlen(argv[1]);
}
