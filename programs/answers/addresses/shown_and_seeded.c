// Addresses of globals that are printed, sorted by, or the seed of a generator.
// cleave: levels -O0
// cleave: expect paths=4
// cleave: code 0
// cleave: replay uncertain
// cleave: says the outcome depends on the addresses of objects, on 1 path
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <klee/klee.h>

static int first, second, third, cells[3];

static int by_address(const void *x, const void *y)
{
	const int *const *p = x, *const *q = y;
	return *p < *q ? -1 : *p > *q;
}

int main(void)
{
	unsigned char op;
	klee_make_symbolic(&op, 1, "op");
	switch (op) {
	case 0:
		printf("%p\n", (void *)&first);
		return 0;
	case 1: {
		int *all[3] = { &second, &third, &first };
		qsort(all, 3, sizeof *all, by_address);
		return all[0] == &first ? 1 : all[0] == &second ? 2 : 3;
	}
	case 2: {
		uintptr_t seed = (uintptr_t)&third;
		for (int i = 0; i < 4; i++)
			seed = seed * 1664525 + 1013904223;
		cells[seed % 3] = 1;
		printf("%lu\n", (unsigned long)seed);
		return cells[0];
	}
	}
	return 0;
}
