// A read through `heap` that lands in `other` is outside of `heap`: one bug, and one clean path.
// cleave: expect paths=1 failed=1
// cleave: code 3
#include <stdlib.h>
#include <string.h>
#include <klee/klee.h>

int main(void)
{
	char *heap = malloc(8), *other = malloc(8);
	memset(heap, 1, 8);
	memset(other, 2, 8);
	long i;
	klee_make_symbolic(&i, sizeof i, "i");
	char c = heap[i]; //~ ERROR ptr
	if (c == 2)
		return 1; /* only by reading `other` through heap */
	return 0;
}
