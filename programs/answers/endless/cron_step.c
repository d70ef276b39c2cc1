// A field of a crontab, `LOW-HIGH/STEP` in single digits: with a step of zero the loop over its values never ends.
// cleave: args --sym-stdin 5
// cleave: run --max-time 60
// cleave: says this loop never ends
// cleave: code 3
// cleave: replay no
#include <stdio.h>
#include <unistd.h>

static unsigned long long field(int low, int high, int step)
{
	unsigned long long set = 0;
	for (int i = low; i <= high; i += step) //~ ERROR endless
		set |= 1ull << i;
	return set;
}

int main(void)
{
	char in[5];
	if (read(0, in, sizeof in) != sizeof in || in[1] != '-' || in[3] != '/')
		return 1;
	int low = in[0] - '0', high = in[2] - '0', step = in[4] - '0';
	if (low < 0 || low > 9 || high < low || high > 9 || step < 0 || step > 9)
		return 2;
	printf("%llx\n", field(low, high, step));
	return 0;
}
