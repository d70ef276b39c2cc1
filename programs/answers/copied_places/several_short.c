// One of four objects behind a table of pointers is shorter than what is copied, and one is none.
// cleave: expect paths=1 failed=2
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static char *parts[4];

static void __attribute__((noinline)) copy(char *to, const char *from)
{
	memcpy(to, from, 12); //~ ERROR ptr
}

int main(void)
{
	unsigned char at;
	char text[12];
	klee_make_symbolic(&at, 1, "at");
	for (int i = 0; i < 3; i++)
		parts[i] = calloc(1, i == 1 ? 8 : 12);
	copy(text, parts[at & 3]);
	return text[11];
}
