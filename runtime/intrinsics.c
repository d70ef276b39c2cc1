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

/* A task may define any of them itself. */
#define WEAK __attribute__((weak))

#define NONDET(type, name)                                     \
	WEAK type __VERIFIER_nondet_##name(void)               \
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
/* The names that tasks of SV-COMP have beside these, for their own types. */
NONDET(char *, pchar)
NONDET(char *, charp)
NONDET(unsigned char, unsigned_char)
NONDET(unsigned, unsigned_int)
NONDET(long long, loff_t)
NONDET(long, off_t)
NONDET(long, ssize_t)
NONDET(unsigned long, sector_t)
NONDET(unsigned long, pthread_t)
NONDET(signed char, s8)
NONDET(short, s16)
NONDET(int, s32)
NONDET(long, s64)
NONDET(unsigned char, u8)
NONDET(unsigned short, u16)
NONDET(unsigned, u32)
NONDET(unsigned long, u64)
NONDET(signed char, int8_t)
NONDET(short, int16_t)
NONDET(int, int32_t)
NONDET(long, int64_t)
NONDET(unsigned char, uint8_t)
NONDET(unsigned short, uint16_t)
NONDET(unsigned, uint32_t)
NONDET(unsigned long, uint64_t)
NONDET(__int128, int128)
NONDET(unsigned __int128, uint128)

WEAK void __VERIFIER_nondet_memory(void *memory, size_t size)
{
	klee_make_symbolic(memory, size, "memory");
}

WEAK _Bool __VERIFIER_nondet_bool(void)
{
	unsigned char value;
	klee_make_symbolic(&value, sizeof value, "bool");
	klee_assume(value <= 1);
	return value;
}

WEAK void __VERIFIER_assume(int condition)
{
	klee_assume(condition != 0);
}

/* Tasks that only declare it mean this. */
WEAK void assume_abort_if_not(int condition)
{
	klee_assume(condition != 0);
}
