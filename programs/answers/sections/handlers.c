// Functions of a section lie together too, and an address tells whether it is one of them.
// cleave: expect paths=3 failed=0 unsupported=0
// cleave: code 0
#include <klee/klee.h>

#define LOCKED __attribute__((section("locked_text"), noinline))
static int outside(int n) { return n; }
LOCKED static int first(int n) { return n + 1; }
static int between(int n) { return n + 2; }
LOCKED static int second(int n) { return n + 3; }
extern const char __start_locked_text[], __stop_locked_text[];

static int is_locked(int (*f)(int))
{
	const char *at = (const char *)f;
	return at >= __start_locked_text && at < __stop_locked_text;
}

int main(void)
{
	int (*const all[])(int) = { outside, first, between, second };
	unsigned char which;
	klee_make_symbolic(&which, 1, "which");
	int locked = 0;
	for (int i = 0; i < 4; i++)
		locked = 2 * locked + is_locked(all[i]);
	if (locked != 5)
		return 9;
	if (which == 1)
		return first(3);
	if (which == 2)
		return second(3);
	return 0;
}
