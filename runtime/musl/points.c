/* Points in front of musl's own functions, which scripts/build-sysroot.sh compiles under the names __musl_NAME; more are in
 * contracts.c. They are the same natively. */
#include "stdio_impl.h"
#include "pthread_impl.h"
#include <semaphore.h>
#include "points.h"

#define POINT(name, parameters, arguments, object) \
	int __musl_##name parameters; \
	int name parameters \
	{ \
		point(object, 0, 0); \
		return __musl_##name arguments; \
	}

typedef const struct timespec *restrict moment;

POINT(pthread_cond_signal, (pthread_cond_t *c), (c), c)
POINT(pthread_cond_broadcast, (pthread_cond_t *c), (c), c)
POINT(pthread_barrier_wait, (pthread_barrier_t *b), (b), b)
POINT(pthread_once, (pthread_once_t *o, void (*f)(void)), (o, f), o)
POINT(pthread_rwlock_rdlock, (pthread_rwlock_t *l), (l), l)
POINT(pthread_rwlock_wrlock, (pthread_rwlock_t *l), (l), l)
POINT(pthread_rwlock_tryrdlock, (pthread_rwlock_t *l), (l), l)
POINT(pthread_rwlock_trywrlock, (pthread_rwlock_t *l), (l), l)
POINT(pthread_rwlock_timedrdlock, (pthread_rwlock_t *restrict l, moment at), (l, at), l)
POINT(pthread_rwlock_timedwrlock, (pthread_rwlock_t *restrict l, moment at), (l, at), l)
POINT(sem_post, (sem_t *s), (s), s)
POINT(sem_trywait, (sem_t *s), (s), s)
POINT(sem_timedwait, (sem_t *restrict s, moment at), (s, at), s)
POINT(sem_getvalue, (sem_t *restrict s, int *restrict value), (s, value), s)
POINT(__lockfile, (FILE *f), (f), f)

int __musl_pthread_join(pthread_t, void **);

/* Who has ended has written a zero. */
int pthread_join(pthread_t thread, void **result)
{
	point(thread, 0, &thread->detach_state);
	return __musl_pthread_join(thread, result);
}
