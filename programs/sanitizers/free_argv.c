// What the system gives a program is not from malloc.
#include <klee/klee.h>
#include <stdlib.h>

__attribute__((noinline)) static int release(char **list)
{
	free(list); //~ ERROR free
	return 1;
}

int main(int argc, char **argv)
{
	unsigned char k;
	klee_make_symbolic(&k, sizeof k, "k");
	if (k == 1)
		return release(argv);
	if (k == 2)
		free(argv[argc - 1]); //~ ERROR free
	return 0;
}
