// A `main` that returns nothing, as in old programs, leaves the exit status to chance: told at the end of `main`, not in the C library.
// cleave: levels -O0
// cleave: expect paths=0 failed=2 unsupported=0
// cleave: code 3
// cleave: flags -Wno-main-return-type
// cleave: replay uncertain
#include <klee/klee.h>

void main(void)
{
	char way;
	klee_make_symbolic(&way, 1, "way");
	if (way == 'a')
		return;
	klee_print_expr("way", way);
} //~ ERROR uninitialised
