// Divisions, a shift and a read whose results nobody uses.
// cleave: flags -Wno-unused-value
#include <klee/klee.h>
#include <stdlib.h>

int main(void)
{
	unsigned char k, x;
	klee_make_symbolic(&k, sizeof k, "k");
	klee_make_symbolic(&x, sizeof x, "x");
	if (k == 1) {
		10 / x; //~ ERROR div (-O0)
	} else if (k == 2) {
		int unused = 10 % (x - 5); //~ ERROR div (-O0)
	} else if (k == 3) {
		int unused = 1 << x; //~ ERROR overshift (-O0)
	} else if (k == 4) {
		char *four = malloc(4);
		char unused = four[4]; //~ ERROR ptr (-O0)
	}
	return 0;
}
