/* Functions of the C library whose callers' part of the contract is looked at: in front of musl's own, which
 * scripts/build-sysroot.sh compiles under the names __musl_NAME. Natively those of threads are the same, so that a replay has its
 * points where the engine has them, and nothing comes of what they find (runtime/threads.c); of files musl's run alone. */
#include "stdio_impl.h"
#include "pthread_impl.h"
#include "libc.h"
#include "syscall.h"
#include <dirent.h>
#include "points.h"

void cleave_stuck(const char *why);
void cleave_misused(const char *what);
void cleave_bad_unlock(const char *what);
void cleave_closed(void *stream);

int __musl_pthread_mutex_lock(pthread_mutex_t *);
int __musl_pthread_mutex_trylock(pthread_mutex_t *);
int __musl_pthread_mutex_timedlock(pthread_mutex_t *restrict, const struct timespec *restrict);
int __musl_pthread_cond_timedwait(pthread_cond_t *restrict, pthread_mutex_t *restrict, const struct timespec *restrict);
int __musl_pthread_mutex_unlock(pthread_mutex_t *);
int __musl_pthread_mutex_destroy(pthread_mutex_t *);
int __musl_pthread_rwlock_unlock(pthread_rwlock_t *);
int __musl_fclose(FILE *);
int __musl_closedir(DIR *);

static int is_free(pthread_mutex_t *m)
{
	return !(m->_m_lock & 0x3fffffff);
}

static int is_normal(pthread_mutex_t *m)
{
	return (m->_m_type & 15) == PTHREAD_MUTEX_NORMAL;
}

/* The other types of mutexes know their owner. This one has a count that it does not use: the owner stands there. */
static int now_owned(pthread_mutex_t *m, int error)
{
	if (!error && is_normal(m))
		m->_m_count = __pthread_self()->tid;
	if (!error || error == EOWNERDEAD)
		ordered(m, ACQUIRES);
	return error;
}

int pthread_mutex_lock(pthread_mutex_t *m)
{
	int self = __pthread_self()->tid;
	if (is_normal(m) && !is_free(m) && m->_m_count == self)
		cleave_stuck("this thread holds the mutex");
	int own = !is_normal(m) && (m->_m_lock & 0x3fffffff) == self;
	point(m, 0, own ? 0 : &m->_m_lock);
	return now_owned(m, __musl_pthread_mutex_lock(m));
}

int pthread_mutex_trylock(pthread_mutex_t *m)
{
	point(m, 0, 0);
	return now_owned(m, __musl_pthread_mutex_trylock(m));
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict m, const struct timespec *restrict at)
{
	point(m, 0, 0);
	return now_owned(m, __musl_pthread_mutex_timedlock(m, at));
}

static void locked_again(void *m)
{
	if (!is_free(m))
		now_owned(m, 0);
}

int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m, const struct timespec *restrict at)
{
	int error;
	point(c, m, 0);
	/* It has locked the mutex again, also before handlers of a cancelled thread run. */
	ordered(m, RELEASES);
	pthread_cleanup_push(locked_again, m);
	error = __musl_pthread_cond_timedwait(c, m, at);
	pthread_cleanup_pop(1);
	return error;
}

/* The other types say EPERM. */
int pthread_mutex_unlock(pthread_mutex_t *m)
{
	if (is_normal(m)) {
		if (is_free(m))
			cleave_misused("a mutex is unlocked that is not locked");
		/* A new process has its parent's locks, and gives them back by itself. */
		if (libc.threads_minus_1 && m->_m_count != __pthread_self()->tid)
			cleave_bad_unlock("a mutex is unlocked that another thread has locked");
	}
	point(m, 0, 0);
	ordered(m, RELEASES);
	return __musl_pthread_mutex_unlock(m);
}

int __musl_pthread_mutex_init(pthread_mutex_t *restrict, const pthread_mutexattr_t *restrict);

/* All threads have the same priority: one that inherits that of another one has it already. */
enum { INHERITS = 8 };

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *a, int protocol)
{
	if (protocol == PTHREAD_PRIO_PROTECT)
		return ENOTSUP;
	if (protocol != PTHREAD_PRIO_NONE && protocol != PTHREAD_PRIO_INHERIT)
		return EINVAL;
	a->__attr = (a->__attr & ~INHERITS) | (protocol == PTHREAD_PRIO_INHERIT ? INHERITS : 0);
	return 0;
}

int pthread_mutex_init(pthread_mutex_t *restrict m, const pthread_mutexattr_t *restrict a)
{
	int error = __musl_pthread_mutex_init(m, a);
	m->_m_type &= ~INHERITS;
	return error;
}

int pthread_mutex_destroy(pthread_mutex_t *m)
{
	if (!is_free(m))
		cleave_misused("a mutex is destroyed that is locked");
	return __musl_pthread_mutex_destroy(m);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	if (!(lock->_rw_lock & 0x7fffffff))
		cleave_misused("a read-write lock is unlocked that is not locked");
	point(lock, 0, 0);
	/* Readers release another object: they are not ordered among themselves. */
	int written = (lock->_rw_lock & 0x7fffffff) == 0x7fffffff;
	ordered(written ? (char *)lock : (char *)lock + 1, RELEASES);
	return __musl_pthread_rwlock_unlock(lock);
}

/* A spin lock holds its owner's number. Who wants it waits as for a futex: to spin would never end. */
int pthread_spin_lock(pthread_spinlock_t *s)
{
	volatile int *lock = s;
	int self = __pthread_self()->tid;
	if (*lock == self)
		cleave_stuck("this thread holds the spin lock");
	point(lock, 0, lock);
	while (*lock)
		__syscall(SYS_futex, lock, FUTEX_WAIT, *lock, 0);
	*lock = self;
	ordered(lock, ACQUIRES);
	return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *s)
{
	volatile int *lock = s;
	point(lock, 0, 0);
	if (*lock)
		return EBUSY;
	*lock = __pthread_self()->tid;
	ordered(lock, ACQUIRES);
	return 0;
}

int pthread_spin_unlock(pthread_spinlock_t *s)
{
	volatile int *lock = s;
	if (!*lock)
		cleave_misused("a spin lock is unlocked that is not locked");
	if (libc.threads_minus_1 && *lock != __pthread_self()->tid)
		cleave_bad_unlock("a spin lock is unlocked that another thread has locked");
	point(lock, 0, 0);
	ordered(lock, RELEASES);
	*lock = 0;
	if (libc.threads_minus_1)
		__wake(lock, 1, 0);
	return 0;
}

#ifndef CLEAVE_NATIVELY
/* The three standard streams are no memory that could be freed. */
int fclose(FILE *f)
{
	static FILE *closed[3];
	if (f->flags & F_PERM) {
		for (int i = 0; i < 3; i++) {
			if (closed[i] == f)
				cleave_misused("a standard stream is closed twice");
			if (!closed[i]) {
				closed[i] = f;
				break;
			}
		}
		return __musl_fclose(f);
	}
	int result = __musl_fclose(f);
	cleave_closed(f);
	return result;
}

int closedir(DIR *directory)
{
	int result = __musl_closedir(directory);
	cleave_closed(directory);
	return result;
}
#endif
