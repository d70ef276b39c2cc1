// What says how long the text is, or gives it back to the program, has a path for each text.
// cleave: expect paths=5 failed=1 unsupported=0
#include <assert.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <cleave.h>

static char own[64];

int main(void)
{
	unsigned char c = __VERIFIER_nondet_uchar();
	int length = 0;
	__VERIFIER_assume(c < 12);
	printf("%g%n\n", c / 1.0, &length);
	assert(length == (c < 10 ? 1 : 2));
	printf("%g", c / 1.0);
	assert(__fpending(stdout) == (c < 10 ? 1 : 2));
	fflush(stdout);
	char text[16];
	snprintf(text, sizeof text, "%g", c / 1.0);
	assert(strlen(text) == (c < 10 ? 1 : 2));
	setvbuf(stdout, own, _IOFBF, sizeof own);
	printf("%g", c / 1.0);
	assert(own[8] != '7'); //~ ERROR assert
	return 0;
}
