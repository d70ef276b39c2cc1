/* What children.c executes. */
#include <stdio.h>

int main(int argc, char **argv)
{
	printf("says %s\n", argv[1]);
	return argv[1][1] == 'x' ? 5 : 0;
}
