/* What the checked functions of glibc have in common. `(size_t)-1` is room unknown. */
#include <stdarg.h>
#include <stddef.h>

#define UNKNOWN ((size_t)-1)

_Noreturn void __chk_fail(void);

/* `needed` of anything in a place for `room`. */
static inline void check(size_t needed, size_t room)
{
	if (needed > room)
		__chk_fail();
}

/* The variadic function of a name with these parameters, by its form for a `va_list`. */
#define VARIADIC(result, name, vname, last, parameters, ...) \
	result name parameters                               \
	{                                                    \
		va_list values;                              \
		va_start(values, last);                      \
		result out = vname(__VA_ARGS__, values);     \
		va_end(values);                              \
		return out;                                  \
	}
