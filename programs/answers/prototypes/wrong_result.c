// A caller expects a result of a function that gives none, or a number of another kind: the result is undefined, and to use it
// is a bug.
// cleave: levels -O0
// cleave: expect paths=2 failed=3 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>

static int calls;
static void nothing(int by) { calls += by; }
static double number(int by) { calls += by; return 1.5; }
static int small(int by) { calls += by; return by; }

static void *volatile function;

int main(void)
{
	int choice = klee_range(0, 5, "choice");
	function = nothing;
	int unused = ((int (*)(int))function)(1);
	if (choice == 0)
		return calls != 1;
	if (choice == 1) {
		function = small;
		return (int)((long (*)(int))function)(7) != 7;
	}
	if (choice == 2) {
		if (unused) //~ ERROR uninitialised
			return 1;
		return 0;
	}
	if (choice == 3) {
		function = number;
		if (((int (*)(int))function)(1) > 0) //~ ERROR uninitialised
			return 1;
		return 0;
	}
	function = small;
	if (((long (*)(int))function)(7) == 7) //~ ERROR uninitialised
		return 1;
	return 0;
}
