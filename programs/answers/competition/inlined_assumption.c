// An assumption is one where it is inlined, and another `abort` is still a bug.
// cleave: expect paths=1 failed=1 assumed_away=1
// cleave: code 3
extern void abort(void);
extern int __VERIFIER_nondet_int();
static inline __attribute__((always_inline)) void assume_abort_if_not(int cond)
{
	if (!cond) {
		abort();
	}
}

int main(void)
{
	int x = __VERIFIER_nondet_int();
	assume_abort_if_not(x > 3);
	if (x == 2000)
		abort(); //~ ERROR abort
	return 0;
}
