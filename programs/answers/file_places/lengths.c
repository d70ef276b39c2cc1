// A length that is asked for: all that are more than there is are one path, with `read`, `readv`, `pread` and `fread`.
// cleave: args A --sym-files 1 8
// cleave: code 0
// cleave: expect paths=23 failed=0
#include <fcntl.h>
#include <klee/klee.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned char way;
	unsigned wanted;
	static char room[1 << 16];
	int file = open(argv[1], O_RDONLY);
	klee_make_symbolic(&way, 1, "way");
	if (file < 0 || read(file, &wanted, 4) != 4)
		return 90;
	if (wanted > sizeof room)
		return 91;
	unsigned there = wanted < 4 ? wanted : 4;
	long got = -1;
	switch (way & 3) {
	case 0:
		got = read(file, room, wanted);
		break;
	case 1: {
		struct iovec parts[2] = {{room, wanted}, {room + 100, 100}};
		got = readv(file, parts, 2);
		klee_assert(got == 4);
		klee_assert(there == 4 || room[100] == room[100]);
		return 1;
	}
	case 2:
		got = pread(file, room, wanted, 4);
		break;
	case 3: {
		FILE *stream = fdopen(file, "r");
		got = fread(room, 1, wanted, stream);
	}
	}
	klee_assert(got == there);
	return got;
}
