// `main` is a function like others where the program takes its address.
// cleave: expect paths=2 failed=1 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>

int main(int, char **);
static int other(int n, char **list) { return n + !list; }
static int (*volatile entries[2])(int, char **) = { main, other };

int main(int n, char **list)
{
	int (*chosen)(int, char **);
	if (n > 50)
		return 5;
	klee_make_symbolic(&chosen, sizeof chosen, "chosen");
	entries[1] = other;
	return chosen(60, list); //~ ERROR exec
}
