// The error is reached where long has 32 bits, and not where it has 64.
extern long __VERIFIER_nondet_long(void);
void reach_error(void) {}

struct item {
	char kind;
	void *next;
	long long value;
};

int main(void)
{
	long n = __VERIFIER_nondet_long();
	if (sizeof(long) + sizeof(struct item) == 4 + 16 && n == -5)
		reach_error();
	return 0;
}
