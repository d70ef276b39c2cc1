// A countdown has a decision on the same word for each of its rounds.
// cleave: flags -DK=8000
// cleave: expect paths=1 failed=0
// cleave: seconds 40
#include <klee/klee.h>

int main(void)
{
	unsigned n, k = 0;
	klee_make_symbolic(&n, sizeof n, "n");
	klee_assume(n > 1000000);
	while (n != 0 && k < K) {
		n--;
		k++;
	}
	return k;
}
