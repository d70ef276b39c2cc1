// Frames and places of return: those of two functions differ, and there are some of callers. No path asks what they are in numbers.
// cleave: expect paths=2 failed=0 unsupported=0 open=0
// cleave: flags -fno-omit-frame-pointer
// cleave: code 0
#include <klee/klee.h>

static void *first;

__attribute__((noinline)) static int deeper(void)
{
	void *own = __builtin_frame_address(0), *above = __builtin_frame_address(1);
	void *back = __builtin_extract_return_addr(__builtin_return_address(0));
	return (own != first) + 2 * (above == first) + 4 * (back != 0);
}

__attribute__((noinline)) static void *place(void)
{
	return __builtin_return_address(0);
}

int main(void)
{
	unsigned char c;
	klee_make_symbolic(&c, 1, "c");
	first = __builtin_frame_address(0);
	void *a = place(), *b = place();
	if (c > 100)
		return deeper();
	return 8 + (a != b) + 2 * (a != 0);
}
