// A pointer of the input may be each function whose address the program takes, and none that only the C library and its start-up
// code take: three paths call one, one path calls none.
// cleave: expect paths=3 failed=1 unsupported=0
// cleave: code 3
// cleave: never says libc_start_main_stage2
// cleave: replay uncertain
#include <klee/klee.h>

typedef int (*operation)(int);
static int add(int n) { return n + 1; }
static int sub(int n) { return n - 1; }
static int twice(int n) { return 2 * n; }
static int never_taken(int n) { return n / 2; }
static operation volatile table[3] = { add, sub };

int main(void)
{
	operation chosen;
	table[2] = twice;
	klee_make_symbolic(&chosen, sizeof chosen, "chosen");
	return never_taken(6) + chosen(3); //~ ERROR exec
}
