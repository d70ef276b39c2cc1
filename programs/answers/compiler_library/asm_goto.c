// `asm goto` with several labels, with a result, through conditions that depend on the input; and a label as a value beside it.
// cleave: expect paths=6 failed=1 unsupported=0 open=0
// cleave: code 3
#include <assert.h>
#include <klee/klee.h>

static int way(unsigned x)
{
	asm goto("cmpl $10, %0\n\tjb %l1\n\tcmpl $20, %0\n\tja %l[high]" : : "r"(x) : "cc" : low, high);
	return 2;
low:
	return 1;
high:
	return 3;
}

/* The product, if it fits. */
static int product(unsigned x, unsigned y, unsigned *result)
{
	unsigned r = x;
	asm goto("mull %1\n\tjo %l[over]" : "+a"(r) : "r"(y) : "edx", "cc" : over);
	*result = r;
	return 1;
over:
	return 0;
}

int main(void)
{
	unsigned x;
	klee_make_symbolic(&x, sizeof x, "x");
	int which = way(x);
	if (which == 2)
		return 2;
	unsigned r = 7;
	if (!product(x, 0x10000, &r))
		return which + 10;
	assert(r != 0x30000); //~ ERROR assert
	asm goto("jmp %l0" : : : : out);
	return 99;
out:
	if (which == 3 && r == 0x150000)
		return 40;
	asm goto("" : : : : nowhere);
	if (r == 0x20000)
		return 41;
nowhere:
	return which + (r == 0x10000 ? 20 : 30);
}
