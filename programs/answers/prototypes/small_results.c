// Nobody extends a result of less than 32 bits: a caller that looks for more finds the small value, and above it what the register had
// before. One that looks for less takes the low bits.
// cleave: levels -O0
// cleave: expect paths=6 failed=3 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>

static _Bool is_one(int n) { return n == 1; }
static char letter(int n) { return (char)n; }
static short half(int n) { return (short)n; }
static int whole(int n) { return n; }

static void *volatile function;

int main(void)
{
	switch (klee_range(0, 9, "choice")) {
	case 0: // the bits that are there
		function = is_one;
		return (unsigned char)((int (*)(int))function)(1) != 1;
	case 1:
		function = letter;
		return (((int (*)(int))function)(0x141) & 0xff) != 'A';
	case 2:
		function = half;
		return (short)((long (*)(int))function)(-2) != -2;
	case 3: // those above
		function = is_one;
		if (((int (*)(int))function)(0x200)) //~ ERROR uninitialised
			return 1;
		return 0;
	case 4:
		function = letter;
		if (((int (*)(int))function)('A') == 'A') //~ ERROR uninitialised
			return 1;
		return 0;
	case 5:
		function = half;
		if (((long (*)(int))function)(7) > 7) //~ ERROR uninitialised
			return 1;
		return 0;
	case 6: // less than was returned
		function = whole;
		return ((char (*)(int))function)(0x141) != 'A';
	case 7:
		function = half;
		return ((char (*)(int))function)(-1) != -1;
	default:
		function = whole;
		return ((_Bool (*)(int))function)(1) != 1;
	}
}
