// More than the buffer holds, and only where there is more: five lengths fit, one bug for the others.
// cleave: args --sym-stdin 0..7
// cleave: expect paths=5 failed=3
// cleave: code 3
// cleave: replay uncertain
#include <unistd.h>

int main(void)
{
	char buffer[4];
	long n = read(0, buffer, 8); //~ ERROR ptr
	return (int)n;
}
