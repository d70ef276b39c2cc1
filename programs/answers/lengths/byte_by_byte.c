// A reader of single bytes that stops at a 'q' decides a byte at a time: end, 'q' or another, up to the third.
// cleave: args --sym-stdin 0..3
// cleave: expect paths=7 failed=0
// cleave: code 0
#include <unistd.h>

static volatile int stopped;

int main(void)
{
	char c;
	while (read(0, &c, 1) == 1)
		if (c == 'q') {
			stopped = 1;
			break;
		}
	return stopped;
}
