// The end of the input is not looked for: each read after it gives nothing, as the one before.
// cleave: args --sym-stdin 3
// cleave: expect failed=1
// cleave: run --max-time 60
// cleave: code 3
// cleave: replay no
#include <stdio.h>

int main(void)
{
	int n = 0;
	while (getchar() != ';') //~ ERROR endless
		n |= 1;
	return n;
}
