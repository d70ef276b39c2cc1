// A function is declared without a prototype and called with too few arguments: the missing one is undefined, and to use it is
// a bug; the path that does not look at it is clean.
// cleave: levels -O0
// cleave: flags -Wno-deprecated-non-prototype
// cleave: expect paths=1 failed=1 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>

int area(width, height, round)
int width, height, round;
{
	if (round) //~ ERROR uninitialised
		return width;
	return width * height;
}

int line(width, height)
int width, height;
{
	return width;
}

int (*called)() = area;

int main(void)
{
	int (*whole)() = line;
	int choice = klee_range(0, 2, "choice");
	if (choice)
		return called(3, 4);
	return whole(3) != 3;
}
