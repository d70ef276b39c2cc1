// Whether a header is there is one decision; where it is not, each length is a path: 6 and 7.
// cleave: args --sym-stdin 6..20
// cleave: expect paths=5 failed=0
// cleave: code 0
#include <unistd.h>

static volatile int kind;

int main(void)
{
	char magic[4], rest[4];
	if (read(0, magic, 4) != 4)
		return 9;
	if (magic[0] != 'E')
		return 1;
	if (read(0, rest, 4) != 4)
		return 2;
	if (rest[0] == 'x')
		kind = 1;
	return 3;
}
