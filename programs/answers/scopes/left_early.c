// Scopes that are left by break, continue, goto and return, with a pointer that would become a register.
// cleave: levels -O0
// cleave: expect paths=5 failed=3 unsupported=0
// cleave: code 3
// cleave: replay no
#include <klee/klee.h>

static int broken(void)
{
	int *p = 0;
	for (;;) {
		int x = 1;
		p = &x;
		if (*p)
			break;
	}
	return *p; //~ ERROR ptr
}

static int gone(int again)
{
	int *p = 0, turns = 0;
repeat: {
	int x = turns;
	p = &x;
	turns = *p + 1;
	if (turns < 3)
		goto repeat;
}
	return again ? *p : turns; //~ ERROR ptr
}

static int chosen(int n)
{
	int *p;
	{
		int a = 1;
		p = &a;
		switch (n) {
		case 1: {
			int b = 2;
			p = &b;
			return *p;
		}
		case 2:
			break;
		default:
			return *p + 2;
		}
	}
	return *p; //~ ERROR ptr
}

int main(void)
{
	unsigned char way;
	klee_make_symbolic(&way, 1, "way");
	switch (way) {
	case 0:
		return broken();
	case 1:
		return gone(1);
	case 2:
		return gone(0) != 3;
	case 3:
		return chosen(1) != 2;
	case 4:
		return chosen(2);
	case 5:
		return chosen(3) != 3;
	case 6: {
		int old = 4, *p = &old;
		(*p)++;
		return old != 5;
	}
	}
	return 0;
}
