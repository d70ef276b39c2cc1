/* Intrinsics that are C: KLEE's that build on klee_make_symbolic, and Test-Comp's. */
#include <cleave.h>

int klee_range(int begin, int end, const char *name)
{
	int value;
	klee_make_symbolic(&value, sizeof value, name);
	klee_assume((value >= begin) & (value < end));
	return value;
}

uintptr_t klee_choose(uintptr_t n)
{
	uintptr_t value;
	klee_make_symbolic(&value, sizeof value, "klee_choose");
	klee_assume(value < n);
	return value;
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
