// What `main` returns to the program itself is no status of the process.
// cleave: levels -O0
// cleave: expect paths=2 failed=1 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>

int main(int n, char **list)
{
	int unset;
	int *p = &unset;
	if (n == 100)
		return *p;
	unsigned char way;
	klee_make_symbolic(&way, 1, "way");
	if (way == 1)
		main(100, list);
	if (way == 2)
		return main(100, list); //~ ERROR uninitialised
	return 0;
}
