// A checked build calls the quotient that overflows what clang's runtime calls it, and a division by zero another thing; and the link
// has no warning of handlers that are known.
// cleave: flags --checked
// cleave: expect paths=2 failed=6 unsupported=0
// cleave: code 3
// cleave: says signed-integer-overflow: division of -2147483648 by -1 cannot be represented in type 'int'
// cleave: says signed-integer-overflow: division of -9223372036854775808 by -1 cannot be represented in type 'long'
// cleave: says integer-divide-by-zero
// cleave: link never says warning
#include <klee/klee.h>
#include <limits.h>

int main(void)
{
	unsigned char way, by;
	klee_make_symbolic(&way, 1, "way");
	klee_make_symbolic(&by, 1, "by");
	klee_assume(by < 3);
	int divisor = by - 1;
	long wide = by - 1;
	__int128 widest = by - 1;
	volatile int least = INT_MIN;
	switch (way) {
	case 0:
		klee_assume(by != 2);
		return least / divisor == 3; //~ ERROR overflow //~ ERROR div
	case 1:
		klee_assume(by != 1);
		return LONG_MIN % wide == 3; //~ ERROR overflow
	case 2:
		klee_assume(by != 2);
		return (__int128)((unsigned __int128)1 << 127) / widest == 3; //~ ERROR overflow //~ ERROR div
	case 3:
		klee_assume(by == 1);
		return 5u / (unsigned)divisor == 3; //~ ERROR div
	}
	return 0;
}
