// Functions that stand in constants of a function alone (an array that it begins with, a structure that it passes on) are the program's, too.
// cleave: expect paths=4 failed=1 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>

struct message {
	int kind;
	int (*handler)(int);
};
static int first(int n) { return n + 1; }
static int second(int n) { return n + 2; }
static int third(int n) { return n + 3; }
static int fourth(int n) { return n + 4; }

static int handle(const struct message *m)
{
	return m->handler(m->kind); //~ ERROR exec
}

int main(void)
{
	int (*const table[])(int) = { first, second };
	const struct message defaults[] = { { 1, third }, { 2, fourth } };
	struct message given;
	klee_make_symbolic(&given, sizeof given, "given");
	klee_assume(given.kind == 0);
	volatile int n = 1;
	int known = table[n](1) + handle(&defaults[n]);
	return known == 9 ? handle(&given) : 77;
}
