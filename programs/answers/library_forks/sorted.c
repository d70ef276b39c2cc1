// What is sorted has many orders; the bug behind it needs a sum, and not an order.
// cleave: args --sym-stdin 8
// cleave: run --max-bugs 1 --max-time 60
// cleave: modes symbolic
// cleave: replay no
#include <stdlib.h>
#include <unistd.h>

static int by_value(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

int main(void)
{
	unsigned char in[9] = { 0 };
	if (read(0, in, 8) != 8)
		return 1;
	if (in[7] == 'q') {
		char *end;
		double d = strtod((char *)in, &end);
		return d > 2;
	}
	if (in[0] != 's')
		return 2;
	if (in[1] == 'u' && in[2] == 'm') {
		int sum = in[3] + in[4] + in[5];
		if (sum == 700)
			abort(); //~ ERROR abort
	}
	qsort(in, 7, 1, by_value);
	return in[0] == 's' ? 3 : 4;
}
