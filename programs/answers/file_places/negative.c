// A negative length, and a negative place.
// cleave: args --sym-stdin 4
// cleave: expect paths=2 failed=5
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>
#include <unistd.h>

int main(void)
{
	int number;
	char room[8];
	if (read(0, &number, 4) != 4)
		return 90;
	if (pread(0, room, 2, number) < 0)
		return 91;
	return (int)read(0, room, number - 5); //~ ERROR ptr
}
