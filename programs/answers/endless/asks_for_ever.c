// Asks again and again for a number, also where no input is left: what it writes is all that changes.
// cleave: args --sym-stdin 2
// cleave: run --max-time 60
// cleave: says this loop writes for ever
// cleave: code 3
// cleave: replay no
#include <stdio.h>
#include <unistd.h>

static int ask(void)
{
	char c;
	for (;;) { //~ ERROR endless
		write(1, "number? ", 8);
		if (read(0, &c, 1) == 1 && c >= '0' && c <= '9')
			return c - '0';
	}
}

int main(void)
{
	return ask() > 5 ? 0 : 1;
}
