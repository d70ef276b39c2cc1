// The middle of a mapping is given back: both ends live, at known places and at one that the input says.
// cleave: expect paths=1 failed=1 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>
#include <sys/mman.h>

#define PAGE 4096

int main(void)
{
	char *p = mmap(0, 5 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return 1;
	for (int i = 0; i < 5 * PAGE; i += PAGE)
		p[i] = 1 + i / PAGE;
	if (munmap(p + PAGE, 3 * PAGE))
		return 2;
	// It is there no more: to give it back again is no error, to protect it is.
	if (munmap(p + PAGE, PAGE) || mprotect(p, 2 * PAGE, PROT_READ) == 0)
		return 3;
	unsigned at;
	klee_make_symbolic(&at, sizeof at, "at");
	klee_assume(at < 5 * PAGE);
	char c = p[at]; //~ ERROR ptr
	return c == 5 ? 5 : 0;
}
