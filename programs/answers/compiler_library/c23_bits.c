// C23's functions on bits, and `printf("%b")` of a number that depends on the input.
// cleave: flags -std=c23
// cleave: expect paths=4 failed=1 unsupported=0 open=0
// cleave: code 3
#include <assert.h>
#include <klee/klee.h>
#include <stdbit.h>
#include <stdio.h>
#include <string.h>

int main()
{
	unsigned char c;
	klee_make_symbolic(&c, 1, "c");
	klee_assume(c < 5);
	char text[12];
	snprintf(text, sizeof text, "%b", c);
	assert(strcmp(text, "11") != 0 || stdc_count_ones(c) != 2); //~ ERROR assert
	return strlen(text) == stdc_bit_width(c) + (c == 0) ? 0 : 1;
}
