// Freed twice for one input.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
	char *p = malloc(3);
	if (__VERIFIER_nondet_int() == 44)
		free(p);
	free(p);
	return 0;
}
