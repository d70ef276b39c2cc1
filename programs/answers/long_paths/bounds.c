// A word that goes down between two others, and one that goes up to another: the path says how far they are apart.
// cleave: expect paths=1 failed=0
// cleave: seconds 40
#include <klee/klee.h>

enum { ROUNDS = 3000 };
volatile int sink;

int main(void)
{
	unsigned n, low, high;
	long from, at;
	klee_make_symbolic(&n, sizeof n, "n");
	klee_make_symbolic(&low, sizeof low, "low");
	klee_make_symbolic(&high, sizeof high, "high");
	klee_make_symbolic(&from, sizeof from, "from");
	klee_make_symbolic(&at, sizeof at, "at");
	klee_assume(at >= 0);
	klee_assume(at < 1000000000);
	for (int k = 0; k < ROUNDS; k++) {
		klee_assume(n > low);
		klee_assume(n < high);
		klee_assume(at < from);
		n--;
		at += 2;
		sink = k;
	}
	return 0;
}
