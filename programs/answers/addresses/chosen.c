// What is chosen by the bits of an address depends on that address, whether a branch or a choice comes of it.
// cleave: expect paths=2
// cleave: code 0
// cleave: replay uncertain
// cleave: says the outcome depends on the addresses of objects, on 2 paths
#include <klee/klee.h>
#include <stdint.h>

static int object;

int main(void)
{
	unsigned char op, c;
	klee_make_symbolic(&op, 1, "op");
	klee_make_symbolic(&c, 1, "c");
	klee_assume(op < 2);
	uintptr_t h = (uintptr_t)&object >> 4;
	if (op == 0)
		return h & 1 ? 5 : 9;
	/* by an input, too */
	return (h + c) % 7 == 3 ? 5 : 9;
}
