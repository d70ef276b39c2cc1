// One index too many.
extern int __VERIFIER_nondet_int(void);

int main(void)
{
	int all[4] = {0}, n = __VERIFIER_nondet_int();
	if (n < 0 || n > 4)
		return 0;
	return all[n];
}
