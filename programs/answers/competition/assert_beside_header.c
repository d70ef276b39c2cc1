// Tasks declare glibc's `__assert_fail`, whose line is unsigned, also beside <assert.h>.
// cleave: expect paths=1 failed=1 unsupported=0
// cleave: code 3
#include <assert.h>
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__nothrow__, __leaf__))
__attribute__((__noreturn__));
int __VERIFIER_nondet_int(void);

int main(void)
{
	int value = __VERIFIER_nondet_int();
	assert(value != 7); //~ ERROR assert
	return 0;
}
