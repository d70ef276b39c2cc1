/* Programs with symbolic objects of their own, under the same name: the second finds those that the first has left. */
// cleave: program target=asks.c
// Two bits of this program, and where both are set two of the other one.
// cleave: expect paths=7
#include <klee/klee.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	char *none[] = {0};
	int first = klee_range(0, 2, "bit"), second = klee_range(0, 2, "bit");
	if (first && second)
		execve("/bin/target", none, none);
	if (first)
		return 1;
	if (second)
		return 2;
	return 3;
}
