// Values that nobody has set and that show inside of the C library first are told with the line of the program that has passed them.
// cleave: levels -O0
// cleave: expect paths=1 failed=6 unsupported=0
// cleave: code 3
// cleave: says in main(
// cleave: replay uncertain
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *aside(void) { return malloc(8); }

int main(void)
{
	unsigned char way;
	klee_make_symbolic(&way, 1, "way");
	char text[8];
	size_t length;
	size_t *p = &length;
	char *heap;
	switch (way) {
	case 0:
		write(1, text, 4); //~ ERROR uninitialised
		break;
	case 1:
		puts(text); //~ ERROR uninitialised
		break;
	case 2:
		write(1, "abcdefgh", *p); //~ ERROR uninitialised
		break;
	case 3:
		heap = aside();
		printf("%s\n", heap); //~ ERROR uninitialised
		free(heap);
		break;
	case 4:
		return (int)strlen(text); //~ ERROR uninitialised
	case 5:
		fwrite(text, 1, 8, stdout); //~ ERROR uninitialised
		fflush(stdout);
		break;
	}
	return 0;
}
