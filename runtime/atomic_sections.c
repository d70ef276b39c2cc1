/* SV-COMP's atomic sections. In front of one is a point that depends on whatever other threads do; in it are none. The lock is for native
 * runs without a schedule, and for a section that waits. */
#include <pthread.h>

/* runtime/musl/points.h; the numbers of sections are those of crates/program/src/atomics.rs. */
void cleave_point(const volatile void *object, const volatile void *other, const volatile int *word);
void cleave_ordered(const volatile void *object, int how);
#define ANYTHING ((void *)-1)
enum { SECTION_BEGINS = 3, SECTION_ENDS = 4 };

static pthread_mutex_t section = { { { PTHREAD_MUTEX_RECURSIVE } } };

__attribute__((weak)) void __VERIFIER_atomic_begin(void)
{
	cleave_point(ANYTHING, 0, 0);
	cleave_ordered(0, SECTION_BEGINS);
	pthread_mutex_lock(&section);
}

__attribute__((weak)) void __VERIFIER_atomic_end(void)
{
	pthread_mutex_unlock(&section);
	cleave_ordered(0, SECTION_ENDS);
}
