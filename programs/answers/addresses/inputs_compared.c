// An input that is held against the address of an object, a function or a label may be that address: the model's, and natively another.
// cleave: levels -O0
// cleave: expect paths=12
// cleave: code 0
// cleave: replay uncertain
// cleave: says inputs_compared.c:32: the outcome depends on the addresses of objects, on 2 paths
// cleave: says inputs_compared.c:36: the outcome depends on the addresses of objects, on 2 paths
// cleave: says inputs_compared.c:40: the outcome depends on the addresses of objects, on 2 paths
// cleave: says inputs_compared.c:45: the outcome depends on the addresses of objects, on 2 paths
#include <klee/klee.h>
#include <stdint.h>
#include <stdio.h>

static int object[4];
static int function(void) { return 1; }
static int (*volatile taken)(void) = function;

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
	klee_assume(op < 5);
	switch (op) {
	case 0:
		if (input("pointer") == object + 1)
			puts("the object");
		return 0;
	case 1:
		if ((int (*)(void))input("function") == taken)
			puts("the function");
		return 0;
	case 2:
		if ((uintptr_t)input("number") == (uintptr_t)&object)
			puts("the number");
		return 0;
	case 3: {
		void *volatile target = &&label;
		if (input("label") != target)
			return 2;
	label:
		puts("the label");
		return 0;
	}
	}
	/* no address: null, and a number below all objects */
	if (input("null") == 0)
		puts("null");
	if (input("small") == (void *)16)
		puts("16");
	return 0;
}
