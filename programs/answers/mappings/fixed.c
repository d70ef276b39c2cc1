// Mappings at addresses of the program's choice: a wish, a demand that replaces, and one that does not.
// cleave: expect paths=1 failed=0 unsupported=0
#include <assert.h>
#include <errno.h>
#include <sys/mman.h>

#define PAGE 4096
#define WISH ((char *)0x60000000)
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static char *map(char *at, unsigned long size, int flags)
{
	return mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

static int run(void)
{
	char *p = map(WISH, 4 * PAGE, 0);
	if (p != WISH)
		return 1;
	for (int i = 0; i < 4; i++)
		p[i * PAGE] = 'a' + i;
	char *other = map(WISH + PAGE, PAGE, 0);
	if (other == WISH + PAGE || other == MAP_FAILED)
		return 2;
	if (map(WISH + PAGE, PAGE, MAP_FIXED_NOREPLACE) != MAP_FAILED || errno != EEXIST)
		return 3;
	if (map(WISH + PAGE, 2 * PAGE, MAP_FIXED) != WISH + PAGE)
		return 4;
	if (p[0] != 'a' || p[PAGE] || p[2 * PAGE] || p[3 * PAGE] != 'd')
		return 5;
	if (munmap(p + PAGE, PAGE) || map(WISH + PAGE, PAGE, MAP_FIXED_NOREPLACE) != WISH + PAGE)
		return 6;
	p[PAGE] = 'x';
	if (munmap(p, 4 * PAGE))
		return 7;
	if (map(WISH + 1, PAGE, MAP_FIXED) != MAP_FAILED || errno != EINVAL)
		return 8;
	return 0;
}

int main(void)
{
	assert(run() == 0);
	return 0;
}
