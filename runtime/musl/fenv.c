/* The floating-point environment. The engine keeps the rounding mode, and no flags of exceptions. */
#include <fenv.h>
#include <features.h>

hidden int __fesetround(int);

/* The control words of a new process: all exceptions are masked. */
enum { CONTROL = 0x37f, MXCSR = 0x1f80, MXCSR_SHIFT = 3 };

int feclearexcept(int mask)
{
	return 0;
}

int feraiseexcept(int mask)
{
	return 0;
}

int fegetenv(fenv_t *environment)
{
	int mode = fegetround();
	*environment = (fenv_t){0};
	environment->__control_word = CONTROL | mode;
	environment->__tags = 0xffff;
	environment->__mxcsr = MXCSR | mode << MXCSR_SHIFT;
	return 0;
}

int fesetenv(const fenv_t *environment)
{
	return __fesetround(environment == FE_DFL_ENV ? FE_TONEAREST : environment->__control_word & FE_TOWARDZERO);
}
