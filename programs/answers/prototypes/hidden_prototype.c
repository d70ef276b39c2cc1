// Two sources that do not agree: the caller's declaration has one argument, the definition two, by another name.
// cleave: levels -O0
// cleave: expect paths=1 failed=1 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>

__attribute__((used)) int transmit_all(int fd, const char *buffer, unsigned size, unsigned *sent)
{
	if (size == 0)
		return fd;
	if (sent) //~ ERROR uninitialised
		*sent = size;
	return buffer[0];
}

int send_all(int fd, const char *buffer, unsigned size) __asm__("transmit_all");

int main(void)
{
	unsigned n = klee_range(0, 2, "n");
	return send_all(0, "a", n) == 'b';
}
