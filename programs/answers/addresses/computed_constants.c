// Numbers that a compiler computes from addresses of globals and functions at compile time are numbers made of addresses as well.
// cleave: expect paths=6
// cleave: code 0
// cleave: replay uncertain
// cleave: says the outcome depends on the addresses of objects, on 5 paths
#include <klee/klee.h>
#include <stdint.h>

static int global, other;
static int function(int n) { return n + 1; }
static int (*volatile taken)(int) = function;

int main(void)
{
	unsigned char op;
	klee_make_symbolic(&op, 1, "op");
	klee_assume(op < 6);
	switch (op) {
	case 0: /* a product */
		return ((uintptr_t)&global * 2654435761u >> 20) % 7 == 3;
	case 1: /* two addresses */
		return (((uintptr_t)&global ^ (uintptr_t)&other) >> 6 & 1) != 0;
	case 2: /* the low half */
		return ((uint32_t)(uintptr_t)&global >> 5) % 64;
	case 3: /* code */
		return ((uintptr_t)function >> 5) % 7 == 3;
	case 4: { /* code, through a pointer */
		uintptr_t h = (uintptr_t)taken;
		h ^= h >> 9;
		return (h >> 4) % 5 == 1;
	}
	}
	/* the distance within one object, and the bits of its alignment */
	static long table[4];
	return (uintptr_t)(table + 3) - (uintptr_t)table != 24 || (uintptr_t)table % sizeof(long);
}
