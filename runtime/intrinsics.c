/* Intrinsics that are C: KLEE's that build on klee_make_symbolic, and Test-Comp's. */
#include <cleave.h>
#include <errno.h>

int klee_range(int begin, int end, const char *name)
{
	int value;
	klee_make_symbolic(&value, sizeof value, name);
	klee_assume((value >= begin) & (value < end));
	return value;
}

int klee_int(const char *name)
{
	int value;
	klee_make_symbolic(&value, sizeof value, name);
	return value;
}

uintptr_t klee_choose(uintptr_t n)
{
	uintptr_t value;
	klee_make_symbolic(&value, sizeof value, "klee_choose");
	klee_assume(value < n);
	for (uintptr_t i = 0; i + 1 < n; i++)
		if (value == i)
			return i;
	return n - 1;
}

/* KLEE's names for some of klee_get_value_*. */
float klee_get_valuef(float expr)
{
	return klee_get_value_f(expr);
}

double klee_get_valued(double expr)
{
	return klee_get_value_d(expr);
}

long klee_get_valuel(long expr)
{
	return klee_get_value_l(expr);
}

long long klee_get_valuell(long long expr)
{
	return klee_get_value_ll(expr);
}

int klee_get_errno(void)
{
	return errno;
}

#define NONDET(type, name)                                     \
	type __VERIFIER_nondet_##name(void)                    \
	{                                                      \
		type value;                                    \
		klee_make_symbolic(&value, sizeof value, #name); \
		return value;                                  \
	}

NONDET(char, char)
NONDET(signed char, schar)
NONDET(unsigned char, uchar)
NONDET(short, short)
NONDET(unsigned short, ushort)
NONDET(int, int)
NONDET(unsigned, uint)
NONDET(unsigned, unsigned)
NONDET(long, long)
NONDET(unsigned long, ulong)
NONDET(long long, longlong)
NONDET(unsigned long long, ulonglong)
NONDET(size_t, size_t)
NONDET(float, float)
NONDET(double, double)
NONDET(void *, pointer)

_Bool __VERIFIER_nondet_bool(void)
{
	unsigned char value;
	klee_make_symbolic(&value, sizeof value, "bool");
	klee_assume(value <= 1);
	return value;
}

void __VERIFIER_assume(int condition)
{
	klee_assume(condition != 0);
}
