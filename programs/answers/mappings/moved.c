// `mremap` of a part: less stays where it is and the rest is gone, more is the same bytes and zeros.
// cleave: expect paths=1 failed=1 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#define _GNU_SOURCE
#include <errno.h>
#include <klee/klee.h>
#include <sys/mman.h>

#define PAGE 4096

int main(void)
{
	char *p = mmap(0, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 4; i++)
		p[i * PAGE] = 'a' + i;
	if (mremap(p, 4 * PAGE, 3 * PAGE, 0) != p)
		return 1;
	// One page of the three becomes two, elsewhere; its place is gone.
	char *q = mremap(p + PAGE, PAGE, 2 * PAGE, MREMAP_MAYMOVE);
	if (q == MAP_FAILED || q[0] != 'b' || q[PAGE])
		return 2;
	if (p[0] != 'a' || p[2 * PAGE] != 'c')
		return 3;
	if (mremap(p, 3 * PAGE, 4 * PAGE, MREMAP_MAYMOVE) != MAP_FAILED || errno != EFAULT)
		return 4;
	char *volatile gone = p;
	if (klee_range(0, 2, "which"))
		return gone[PAGE]; //~ ERROR ptr
	return 0;
}
