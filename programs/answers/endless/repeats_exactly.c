// Loops whose state comes again at once, and after two rounds. The second loop is volatile, so that no optimiser drops it.
// cleave: expect (-O0) paths=1 failed=2
// cleave: expect (-O2) paths=1..2 failed=1..2
// cleave: run --max-time 20
// cleave: seconds 15
// cleave: says this loop never ends
// cleave: replay no
#include <klee/klee.h>

int main(void)
{
	unsigned char a;
	volatile int s = 0;
	klee_make_symbolic(&a, 1, "a");
	if (a == 1)
		while (a == 1) //~ ERROR (-O0) endless
			;
	if (a == 2)
		for (;;) //~ ERROR endless
			s = !s;
	return 0;
}
