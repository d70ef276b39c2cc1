/* How sums of `__float128` are rounded, as the compiler's own library asks: by the mode of the processor. */
#include <fenv.h>

/* As in its fp_mode.h. */
enum { TO_NEAREST, DOWNWARD, UPWARD, TOWARD_ZERO };

int __fe_getround(void)
{
	switch (fegetround()) {
	case FE_DOWNWARD: return DOWNWARD;
	case FE_UPWARD: return UPWARD;
	case FE_TOWARDZERO: return TOWARD_ZERO;
	default: return TO_NEAREST;
	}
}

int __fe_raise_inexact(void)
{
	return 0;
}
