// A file that is mapped before fork is shared memory of both, and one that each maps itself shows what the other one has written.
// cleave: expect paths=1 failed=0 unsupported=0
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

static char *mapped(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, PAGE))
		_exit(20);
	char *p = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p;
}

static int run(void)
{
	char *before = mapped("before");
	before[0] = 'p';
	pid_t child = fork();
	if (child == 0) {
		char *own = mapped("after");
		if (before[0] != 'p')
			_exit(1);
		before[0] = 'c';
		own[1] = 'c';
		_exit(0);
	}
	int status;
	if (waitpid(child, &status, 0) != child || status)
		return 2;
	if (before[0] != 'c')
		return 3;
	char *own = mapped("after");
	if (own[1] != 'c')
		return 4;
	int fd = open("before", O_RDONLY);
	char c;
	return read(fd, &c, 1) != 1 || c != 'c';
}

int main(void)
{
	assert(run() == 0);
	return 0;
}
