// With the check off, a text keeps its room behind the NUL, as in KLEE.
// cleave: run --check -argument
// cleave: args --sym-arg 3
// cleave: expect paths=3 failed=0
// cleave: replay no
#include <stdio.h>

static volatile int found;

int main(int argc, char **argv)
{
	const char *option = argv[1];
	(void)argc;
	if (option[0] == '-' && option[2] == 'x')
		found = 1;
	return 0;
}
