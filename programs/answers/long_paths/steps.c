// Words of 16, 32 and 64 bits, signed and unsigned, that go up and down by steps of 1, 2 and 3: what they are not leaves holes in
// their values.
// cleave: expect paths=1 failed=0
// cleave: seconds 40
#include <klee/klee.h>

enum { ROUNDS = 3000 };
volatile int sink;

int main(void)
{
	long a;
	unsigned b;
	short c;
	int d;
	klee_make_symbolic(&a, sizeof a, "a");
	klee_make_symbolic(&b, sizeof b, "b");
	klee_make_symbolic(&c, sizeof c, "c");
	klee_make_symbolic(&d, sizeof d, "d");
	for (int k = 0; k < ROUNDS; k++) {
		klee_assume(a != 5);
		klee_assume(b < 4000000000u);
		if (k < 300)
			klee_assume(c > -32000);
		klee_assume(d != k);
		klee_assume(d / 2 < 2 * k + 1000000000);
		a -= 3;
		b += 2;
		c -= 1;
		sink = k;
	}
	return 0;
}
