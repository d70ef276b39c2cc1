// A pointer keeps its object through memory, calls, structures, copies by bytes and variable arguments; its bytes also do.
// cleave: expect paths=6 failed=6
// cleave: code 3
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <klee/klee.h>

struct cursor { char *at; long left; };
union both { char *pointer; unsigned long number; };

static char *volatile kept;

static char read_at(struct cursor c)
{
	return *c.at; //~ ERROR ptr
}

static char last_of(int n, ...)
{
	va_list list;
	va_start(list, n);
	char *p = va_arg(list, char *);
	va_end(list);
	return *p; //~ ERROR ptr
}

int main(void)
{
	unsigned char op;
	unsigned i;
	klee_make_symbolic(&op, 1, "op");
	klee_make_symbolic(&i, sizeof i, "i");
	char *heap = malloc(8), *other = malloc(8);
	memset(heap, 1, 8);
	memset(other, 1, 8);
	char *p = heap + i;
	switch (op) {
	case 0:
		kept = p;
		return *kept; //~ ERROR ptr
	case 1: {
		struct cursor c = { p, 1 }, d;
		memcpy(&d, &c, sizeof d);
		return read_at(d);
	}
	case 2: {
		char *volatile q;
		for (unsigned k = 0; k < sizeof q; k++)
			((volatile char *)&q)[k] = ((char *)&p)[k];
		return *q; //~ ERROR ptr
	}
	case 3: {
		volatile union both u;
		u.pointer = p;
		unsigned long n = u.number;
		u.number = n;
		return *u.pointer; //~ ERROR ptr
	}
	case 4:
		return last_of(1, p);
	}
	klee_assume(op == 5);
	heap = realloc(heap, 16);
	memset(heap, 1, 16);
	return heap[8 + (i & 15)]; //~ ERROR ptr
}
