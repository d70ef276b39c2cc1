// Who looks at what `printf` returns has a path for each length: only where nobody does, the text can wait.
// cleave: expect paths=10 failed=1
#include <assert.h>
#include <stdio.h>
#include <cleave.h>

int main(void)
{
	unsigned char c = __VERIFIER_nondet_uchar();
	printf("%.1f\n", c / 2.0);
	int length = printf("%.1f\n", c / 2.0);
	assert(length == 4 || length == 5 || c > 200); /* the shortest is 0.0, the longest 127.5 */ //~ ERROR assert
	return length;
}
