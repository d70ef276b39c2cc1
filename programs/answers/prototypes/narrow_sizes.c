// Programs for 32 bits declare functions of the heap and of memory with an `unsigned int` for the size, which here
// depends on the input.
// cleave: flags -w -fno-builtin
// cleave: expect paths=4
// cleave: code 0
#include <klee/klee.h>

void *malloc(unsigned int size);
void *calloc(unsigned int count, unsigned int size);
void *memset(void *at, int byte, unsigned int size);
void free(void *at);

int main(void)
{
	unsigned n;
	int i, sum = 0, *a, *b;
	klee_make_symbolic(&n, sizeof n, "n");
	klee_assume(n - 1 < 4);
	a = malloc(n * sizeof(int));
	b = calloc(n, sizeof(int));
	memset(a, 1, n * sizeof(int));
	for (i = 0; i < n; i++)
		sum += (a[i] == 0x1010101) + b[i];
	free(a);
	free(b);
	return sum != n;
}
