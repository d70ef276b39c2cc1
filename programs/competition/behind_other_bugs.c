// The error is behind a division by zero, an abort and a read of a value that was never set, all of which other paths end in.
#include <assert.h>
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern short __VERIFIER_nondet_short(void);
extern float __VERIFIER_nondet_float(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__nothrow__, __noreturn__));
void reach_error() { __assert_fail("0", "behind_other_bugs.c", 7, "reach_error"); }

int main(void)
{
	int unset[2], n = __VERIFIER_nondet_int();
	if (n == 17)
		return 1 / (n - 17);
	assert(n < 1000);
	if (n > 100)
		abort();
	if (unset[0] > 5)
		n++;
	short s = __VERIFIER_nondet_short();
	float f = __VERIFIER_nondet_float();
	if (n < 0 && s == -3 && f > 1.5f && f < 1.75f)
		reach_error();
	return 0;
}
