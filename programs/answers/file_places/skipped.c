// Parts with a length in front of them, as in most formats of files, are skipped: a length behind the end is one path.
// cleave: args A --sym-files 1 8
// cleave: expect paths=33 failed=0
// cleave: code 0
#include <stdio.h>

int main(int argc, char **argv)
{
	FILE *file = fopen(argv[1], "r");
	unsigned char head[2];
	int parts = 0;
	if (!file)
		return 90;
	while (parts < 3 && fread(head, 1, 2, file) == 2) {
		parts++;
		if (fseek(file, head[0] << 8 | head[1], SEEK_CUR))
			return 91;
	}
	return parts;
}
