// An option of one character has no third one: "-" ends behind its NUL.
// cleave: args --sym-arg 3
// cleave: expect paths=3 failed=1
// cleave: code 3
// cleave: replay uncertain
#include <stdio.h>

static volatile int found;

int main(int argc, char **argv)
{
	const char *option = argv[1];
	(void)argc;
	if (option[0] == '-' && option[2] == 'x') //~ ERROR ptr
		found = 1;
	return 0;
}
