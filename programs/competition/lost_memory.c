// The only pointer to an object is written over.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
	char *p = malloc(3);
	if (__VERIFIER_nondet_int() > 8)
		p = 0;
	free(p);
	return 0;
}
