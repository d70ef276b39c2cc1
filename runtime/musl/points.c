/* Points in front of musl's own functions, which scripts/build-sysroot.sh compiles under the names __musl_NAME, and what orders threads
 * behind them; more are in contracts.c and c11.c. They are the same natively. */
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

/* What succeeds acquires the object, and of a read-write lock for writing also what readers have released. */
#define LOCK(name, parameters, arguments, object, also) \
	int __musl_##name parameters; \
	int name parameters \
	{ \
		point(object, 0, 0); \
		int error = __musl_##name arguments; \
		if (!error) { \
			ordered(object, ACQUIRES); \
			if (also) \
				ordered(also, ACQUIRES); \
		} \
		return error; \
	}

#define READERS(lock) ((char *)(lock) + 1)

typedef const struct timespec *restrict moment;

POINT(pthread_cond_signal, (pthread_cond_t *c), (c), c)
POINT(pthread_cond_broadcast, (pthread_cond_t *c), (c), c)
LOCK(pthread_rwlock_rdlock, (pthread_rwlock_t *l), (l), l, 0)
LOCK(pthread_rwlock_wrlock, (pthread_rwlock_t *l), (l), l, READERS(l))
LOCK(pthread_rwlock_tryrdlock, (pthread_rwlock_t *l), (l), l, 0)
LOCK(pthread_rwlock_trywrlock, (pthread_rwlock_t *l), (l), l, READERS(l))
LOCK(pthread_rwlock_timedrdlock, (pthread_rwlock_t *restrict l, moment at), (l, at), l, 0)
LOCK(pthread_rwlock_timedwrlock, (pthread_rwlock_t *restrict l, moment at), (l, at), l, READERS(l))
LOCK(sem_trywait, (sem_t *s), (s), s, 0)
LOCK(sem_timedwait, (sem_t *restrict s, moment at), (s, at), s, 0)
POINT(sem_getvalue, (sem_t *restrict s, int *restrict value), (s, value), s)
POINT(__lockfile, (FILE *f), (f), f)

LOCK(ftrylockfile, (FILE *f), (f), f, 0)

void __musl_flockfile(FILE *);
void __musl_funlockfile(FILE *);
int __musl_sem_post(sem_t *);
int __musl_pthread_barrier_wait(pthread_barrier_t *);
int __musl_pthread_join(pthread_t, void **);
int __musl_pthread_once(pthread_once_t *, void (*)(void));

void flockfile(FILE *f)
{
	__musl_flockfile(f);
	ordered(f, ACQUIRES);
}

void funlockfile(FILE *f)
{
	ordered(f, RELEASES);
	__musl_funlockfile(f);
}

int sem_post(sem_t *s)
{
	point(s, 0, 0);
	ordered(s, RELEASES);
	return __musl_sem_post(s);
}

int pthread_barrier_wait(pthread_barrier_t *b)
{
	point(b, 0, 0);
	ordered(b, RELEASES);
	int result = __musl_pthread_barrier_wait(b);
	ordered(b, ACQUIRES);
	return result;
}

/* Who has ended has written a zero. */
int pthread_join(pthread_t thread, void **result)
{
	point(thread, 0, &thread->detach_state);
	int error = __musl_pthread_join(thread, result);
	if (!error)
		ordered(thread, JOINS);
	return error;
}

/* What is called once at a time, the innermost call first: it is called without arguments, and done before others go on. */
static struct call {
	pthread_t thread;
	pthread_once_t *once;
	void (*function)(void);
	struct call *below;
} *calls;

static void run(void)
{
	struct call *own = calls;
	while (own->thread != __pthread_self())
		own = own->below;
	own->function();
	ordered(own->once, RELEASES);
}

static void forget(void *call)
{
	struct call **at = &calls;
	while (*at != call)
		at = &(*at)->below;
	*at = (*at)->below;
}

int pthread_once(pthread_once_t *once, void (*function)(void))
{
	int error;
	struct call own = { __pthread_self(), once, function, calls };
	point(once, 0, 0);
	own.below = calls;
	calls = &own;
	pthread_cleanup_push(forget, &own);
	error = __musl_pthread_once(once, run);
	pthread_cleanup_pop(1);
	ordered(once, ACQUIRES);
	return error;
}
