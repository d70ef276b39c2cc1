// A decision depends on a variable that was never set: no test tells if the error is reached.
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}

int main(void)
{
	int x;
	if (__VERIFIER_nondet_int() == 3 && x == 12345)
		reach_error();
	return 0;
}
