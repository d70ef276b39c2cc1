// A pointer of the input that comes to an object, a function or a label has the address that the model gave it.
// cleave: levels -O0
// cleave: expect paths=5 failed=2
// cleave: code 3
// cleave: replay uncertain
// cleave: says the outcome depends on the addresses of objects
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

static int first(void) { return puts("first"); }
static int second(void) { return puts("second"); }
static int (*volatile taken[])(void) = { first, second };

static void *input(const char *name)
{
	void *p;
	klee_make_symbolic(&p, sizeof p, name);
	return p;
}

int main(void)
{
	unsigned char op;
	klee_make_symbolic(&op, 1, "op");
	klee_assume(op < 3 && taken[op & 1]);
	if (op == 0)
		return ((int (*)(void))input("function"))() < 0; //~ ERROR exec
	if (op == 1) {
		void *target = input("label"), *volatile there = &&here;
		klee_assume(target == there);
		goto *target;
	here:
		puts("here");
		return 0;
	}
	void *p = malloc(8);
	free(input("block")); //~ ERROR free
	return p == 0;
}
