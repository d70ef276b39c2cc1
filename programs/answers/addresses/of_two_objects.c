// An index that is counted from a place in one object to a place in another depends on where these lie.
// cleave: expect paths=1
// cleave: says depends on the addresses
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	volatile uintptr_t index = 0;
	char *a = malloc(8), *b = malloc(8);
	uintptr_t minus = index - (uintptr_t)a;
	if ((minus + (uintptr_t)b & 64) != 0)
		puts("far");
	free(a);
	free(b);
	return 0;
}
