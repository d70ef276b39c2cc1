/* Where the checks of -D_FORTIFY_SOURCE end. */
#include <klee/klee.h>

_Noreturn void __chk_fail(void)
{
	klee_report_error("", 0, "buffer overflow: more is written than the object has room for", "ptr.err");
}
