// A command is a letter; the last of four is forgotten in a table. Numbers in front of it are scanned.
// cleave: args --sym-stdin 8
// cleave: run --max-bugs 1 --max-time 60
// cleave: modes symbolic
// cleave: replay no
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int rates[3] = { 2, 3, 5 };

int main(void)
{
	char in[9] = { 0 };
	float amount = 0;
	int at = 0;
	if (read(0, in, 8) < 4)
		return 9;
	if (sscanf(in, "%f%n", &amount, &at) < 1)
		at = 0;
	const char *p = in + at;
	if (*p == '#')
		return 8;
	int which = 3;
	if (*p == 'a')
		which = 0;
	else if (*p == 'b')
		which = 1;
	else if (*p == 'c')
		which = 2;
	else if (p[0] != 'd' || p[1] != ';' || p[2] != 'x')
		return 7;
	return amount > 1 ? rates[which] : rates[which] + 1; //~ ERROR ptr
}
