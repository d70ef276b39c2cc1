/* Executed by own_inputs.c. */
#include <klee/klee.h>

int main(void)
{
	int first = klee_range(0, 2, "bit"), second = klee_range(0, 2, "bit");
	if (first && second)
		return 10;
	if (first)
		return 11;
	if (second)
		return 12;
	return 13;
}
