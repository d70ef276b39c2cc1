// `__builtin_longjmp` out of several functions, to the last place of several, with what the function had changed in between.
// cleave: expect paths=4 failed=0 unsupported=0 open=0
// cleave: code 0
#include <klee/klee.h>

static void *outer[5], *inner[5];

__attribute__((noinline)) static void leap(unsigned char c)
{
	if (c == 1)
		__builtin_longjmp(outer, 1);
	if (c == 2)
		__builtin_longjmp(inner, 1);
}

__attribute__((noinline)) static int tries(unsigned char c)
{
	volatile int seen = 1;
	if (__builtin_setjmp(inner))
		return 10 + seen;
	seen = 2;
	leap(c);
	return 20;
}

int main(void)
{
	unsigned char c;
	volatile int state = 0;
	klee_make_symbolic(&c, 1, "c");
	if (__builtin_setjmp(outer))
		return state;
	state = 5;
	int r = tries(c);
	if (c == 3) {
		state = 6;
		leap(1);
	}
	return r;
}
