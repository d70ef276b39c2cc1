/* SV-COMP's atomic sections: one lock for all of them, which a thread may take again. Threads are interrupted where they
 * synchronise, so nothing comes between the statements of a section; to a check for races they are ordered by the lock. */
#include <pthread.h>

static pthread_mutex_t section = { { { PTHREAD_MUTEX_RECURSIVE } } };

__attribute__((weak)) void __VERIFIER_atomic_begin(void)
{
	pthread_mutex_lock(&section);
}

__attribute__((weak)) void __VERIFIER_atomic_end(void)
{
	pthread_mutex_unlock(&section);
}
