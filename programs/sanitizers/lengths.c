// Lengths that are negative, or more than any object has, behind lengths that are right.
// cleave: flags -fno-builtin
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	unsigned char k;
	volatile int had = 3;
	char to[8] = "", from[8] = "abc";
	klee_make_symbolic(&k, sizeof k, "k");
	switch (k) {
	case 1:
		memcpy(to, from, had - 4); //~ ERROR ptr
		break;
	case 2:
		memmove(to, from, had - 5); //~ ERROR ptr
		break;
	case 3:
		memset(to, 0, (unsigned)(had - 4)); //~ ERROR ptr
		break;
	case 4:
		strncpy(to, from, had - 4); //~ ERROR ptr
		break;
	case 5:
		return read(0, to, had - 4); //~ ERROR ptr
	case 6:
		return write(1, to, had - 4); //~ ERROR ptr
	case 7:
		// How far to look at most: that may be as far as one likes.
		strncat(to, from, had - 4);
		return strnlen(to, had - 4) != 3;
	case 8:
		return malloc((size_t)had - 4) != 0;
	case 9:
		memcpy(to, from, had + 5);
		return read(0, to, 0) != 0;
	}
	return 0;
}
