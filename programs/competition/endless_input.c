// All sides of branches are taken by a few tests, and there are paths without an end.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
	unsigned sum = 0;
	while (__VERIFIER_nondet_uint() % 7 != 3)
		sum += __VERIFIER_nondet_uint() > 9 ? 2 : 1;
	return sum & 1;
}
