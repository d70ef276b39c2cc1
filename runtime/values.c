/* Intrinsics that are C and the same in the engine, natively, and in libkleeRuntest. */
#include <errno.h>
#include <klee/klee.h>

int klee_int(const char *name)
{
	int value;
	klee_make_symbolic(&value, sizeof value, name);
	return value;
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
