// An allocator maps twice what it needs and gives back front and back, so that the rest is aligned. What it gave back must not
// be accessed; the rest lives on.
// cleave: expect paths=1 failed=3 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>
#include <stdint.h>
#include <sys/mman.h>

#define ALIGN 65536

int main(void)
{
	char *whole = mmap(0, 2 * ALIGN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (whole == MAP_FAILED)
		return 1;
	// In the model a mapping is never aligned so; natively it may be.
	char *start = (char *)(((uintptr_t)whole + ALIGN) / ALIGN * ALIGN);
	char *end = whole + 2 * ALIGN;
	if (munmap(whole, start - whole))
		return 2;
	if (start + ALIGN < end && munmap(start + ALIGN, end - (start + ALIGN)))
		return 3;
	char *volatile at = start;
	int which = klee_range(0, 4, "which");
	at[0] = 1;
	at[ALIGN - 1] = 2;
	if (which == 1)
		return at[-1]; //~ ERROR ptr
	if (which == 2)
		*(volatile char *)whole = 1; //~ ERROR ptr
	if (which == 3) {
		if (munmap(start, ALIGN))
			return 4;
		return at[0]; //~ ERROR ptr
	}
	return at[0] + at[ALIGN - 1] - 3;
}
