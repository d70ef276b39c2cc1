// Every check of -fsanitize=undefined that C has, each behind a value of k; whatever else x is, the paths are clean.
// cleave: flags -fsanitize=undefined -fsanitize=implicit-conversion
#include <klee/klee.h>
#include <stdbool.h>
#include <stddef.h>

__attribute__((nonnull)) static void given(int *p)
{
	(void)p;
}

__attribute__((returns_nonnull)) static int *gives(int *p)
{
	return p; //~ ERROR nullable_attribute
}

static volatile int sink;
static char raw[16] __attribute__((aligned(8)));

static void first(unsigned char k, int x)
{
	static const int three[3] = { 1, 2, 3 };
	int *null = 0;
	switch (k) {
	case 0:
		sink = x + 1; //~ ERROR overflow
		break;
	case 1:
		sink = x - 2; //~ ERROR overflow
		break;
	case 2:
		sink = x * 3; //~ ERROR overflow
		break;
	case 3:
		sink = -x; //~ ERROR overflow
		break;
	case 4:
		sink = 1 << (x & 63); //~ ERROR overflow
		break;
	case 5:
		sink = 10 / x; //~ ERROR div
		break;
	case 6:
		sink = three[x & 7]; //~ ERROR ptr
		break;
	case 7:
		sink = *(int *)(raw + (x & 3)); //~ ERROR ptr
		break;
	case 8:
		sink = *(x == 7 ? null : &x); //~ ERROR ptr
		break;
	}
}

static void second(unsigned char k, int x)
{
	volatile float large = 1e20f;
	int *null = 0;
	char *pointer = x == 5 ? 0 : raw;
	switch (k) {
	case 9:
		given(x == 9 ? null : &x); //~ ERROR nullable_attribute
		break;
	case 10:
		sink = gives(x == 9 ? null : &x) == (int *)raw;
		break;
	case 11: {
		int n = x & 3;
		char lengths[n]; //~ ERROR ptr
		sink = sizeof lengths;
		break;
	}
	case 12:
		raw[0] = x == 2 ? 2 : 1;
		sink = *(bool *)raw; //~ ERROR invalid_load
		break;
	case 13:
		sink = (int)(x == 3 ? large : 1.0f); //~ ERROR overflow
		break;
	case 14:
		sink = pointer + 1 == raw; //~ ERROR ptr
		break;
	case 15:
		sink = __builtin_clz((unsigned)x); //~ ERROR invalid_builtin_use
		break;
	case 16:
		if (x == 8)
			__builtin_unreachable(); //~ ERROR unreachable_call
		break;
	case 17:
		raw[1] = (x & 127) + 100; //~ ERROR implicit_truncation
		break;
	case 18:
		raw[2] = (unsigned)x; //~ ERROR implicit_conversion
		break;
	case 19: {
		unsigned char byte = (unsigned)x; //~ ERROR implicit_truncation
		sink = byte;
		break;
	}
	case 20: {
		unsigned whole = x; //~ ERROR implicit_conversion
		sink = whole == 7;
		break;
	}
	}
}

int main(void)
{
	unsigned char k;
	int x;
	klee_make_symbolic(&k, sizeof k, "k");
	klee_make_symbolic(&x, sizeof x, "x");
	first(k, x);
	second(k, x);
	return 0;
}
