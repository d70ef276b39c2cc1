/* Executed by second_bug.c. */
#include <stdlib.h>

int main(int argc, char **argv)
{
	int numbers[4] = {0};
	int n = atoi(argv[1]);
	if (n < 0 || n > 4)
		return 2;
	return numbers[n]; //~ ERROR out-of-bounds
}
