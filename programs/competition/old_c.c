// C as old tasks have it: functions without prototypes and types, inline ones of GNU C, a library function with another prototype.
extern void *malloc(unsigned int);
inline twice(n) { return n + n; }
half(n)
	int n;
{
	return undeclared(n);
}
undeclared(int n) { return n / 2; }
void reach_error(void) {}

main()
{
	int *p = malloc(sizeof *p);
	*p = __VERIFIER_nondet_int();
	if (twice(half(*p)) == 12344)
		reach_error();
	return 0;
}
