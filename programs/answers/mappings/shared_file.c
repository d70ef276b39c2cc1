// What is written to a shared mapping of a file is read from the file, and what is written to the file is seen in the mapping; the
// descriptor may be closed and the mapping cut in between. A private mapping shows nothing of that.
// cleave: expect paths=1 failed=0 unsupported=0
#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static int run(void)
{
	char text[8] = { 0 };
	int fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, 2 * PAGE))
		return 1;
	char *p = mmap(0, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 2;
	strcpy(p + 10, "memory");
	if (pread(fd, text, 7, 10) != 7 || strcmp(text, "memory"))
		return 3;
	if (pwrite(fd, "file", 5, PAGE) != 5 || strcmp(p + PAGE, "file"))
		return 4;
	// Read into the mapping itself.
	if (pread(fd, p + 100, 5, PAGE) != 5 || strcmp(p + 100, "file"))
		return 5;
	close(fd);
	p[PAGE] = 'F';
	if (munmap(p, PAGE))
		return 6;
	p[PAGE + 1] = 'I';
	if (msync(p + PAGE, PAGE, MS_SYNC))
		return 7;
	fd = open("data", O_RDONLY);
	if (pread(fd, text, 5, PAGE) != 5 || strcmp(text, "FIle"))
		return 8;
	if (pread(fd, text, 5, 100) != 5 || strcmp(text, "file"))
		return 9;
	return 0;
}

int main(void)
{
	assert(run() == 0);
	return 0;
}
