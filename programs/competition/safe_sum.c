// No property is violated: all paths end, and a bound keeps the index and the sum in their ranges.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) {}
void assume_abort_if_not(int condition)
{
	if (!condition)
		abort();
}

int main(void)
{
	int n = __VERIFIER_nondet_int(), sum = 0;
	assume_abort_if_not(n >= 0 && n < 4);
	int *all = malloc(4 * sizeof *all);
	if (!all)
		return 0;
	for (int i = 0; i <= n; i++) {
		all[i] = i;
		sum += all[i];
	}
	free(all);
	if (sum > 6)
		reach_error();
	return 0;
}
