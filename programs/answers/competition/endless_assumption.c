// Older tasks assume by a loop without an end.
// cleave: expect paths=2 failed=1 assumed_away=1
// cleave: code 3
// cleave: replay uncertain
extern void abort(void);
extern unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int cond)
{
	if (!cond) {
	LOOP:
		goto LOOP;
	}
}
void __VERIFIER_error(void);

static volatile int kept;

int main(void)
{
	unsigned a = __VERIFIER_nondet_uint();
	__VERIFIER_assume(a < 10);
	if (a == 7)
		__VERIFIER_error(); //~ ERROR report_error
	if (a > 7)
		kept = 1;
	return 0;
}
