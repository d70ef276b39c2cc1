// Standard input of up to three bytes: a path for each length, and an exit status that tells it.
// cleave: args --sym-stdin 0..3
// cleave: expect paths=4 failed=0
// cleave: code 0
#include <stdio.h>

int main(void)
{
	int n = 0;
	while (getchar() != EOF)
		n++;
	return n;
}
