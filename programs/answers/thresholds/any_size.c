// A size out of a header that nobody checks: an object for all sizes up to the limit, and one for all above it. What is there to be read
// decides, not the size.
// cleave: args --sym-stdin 8
// cleave: expect paths=9..10 failed=0
// cleave: code 0
// cleave: never says value by value
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	unsigned size;
	if (fread(&size, 4, 1, stdin) != 1)
		return 90;
	unsigned char *all = malloc(size);
	if (!all)
		return 91;
	memset(all, 1, size);
	size_t got = fread(all, 1, size, stdin);
	klee_assert(got == (size < 4 ? size : 4));
	klee_assert(size <= 4 || all[size < 5000 ? 4 : 4999] == 1);
	if (size > 100000) {
		all = realloc(all, 7);
		klee_assert(all[6] == 1);
	}
	free(all);
	return (int)got;
}
