// What is written behind the end lies behind a hole of zeros, and the file is as long as that: a path for each place.
// cleave: args A --sym-files 1 4
// cleave: expect paths=10 failed=0
// cleave: code 0
#include <fcntl.h>
#include <klee/klee.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int file = open(argv[1], O_RDWR);
	unsigned at;
	char all[16];
	if (file < 0 || read(file, &at, 4) != 4)
		return 90;
	if (at > 8)
		return 91;
	int other = dup(file);
	klee_assert(lseek(file, at, SEEK_SET) == at);
	klee_assert(write(other, "xy", 2) == 2);
	klee_assert(lseek(file, 0, SEEK_CUR) == at + 2);
	long size = pread(file, all, sizeof all, 0);
	klee_assert(size == (at + 2 > 4 ? at + 2 : 4));
	klee_assert(all[at] == 'x' && all[at + 1] == 'y' && (at <= 4 || all[at - 1] == 0));
	return (int)size;
}
