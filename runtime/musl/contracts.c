/* Functions of the C library whose callers' part of the contract is looked at: in front of musl's own, which
 * scripts/build-sysroot.sh compiles under the names __musl_NAME. Natively musl's run alone. */
#include "stdio_impl.h"
#include "pthread_impl.h"
#include <dirent.h>

void cleave_stuck(const char *why);
void cleave_misused(const char *what);
void cleave_closed(void *stream);

int __musl_pthread_mutex_unlock(pthread_mutex_t *);
int __musl_pthread_mutex_destroy(pthread_mutex_t *);
int __musl_pthread_rwlock_unlock(pthread_rwlock_t *);
int __musl_fclose(FILE *);
int __musl_closedir(DIR *);

static int is_free(pthread_mutex_t *m)
{
	return !(m->_m_lock & 0x3fffffff);
}

/* The other types of mutexes know their owner, and say EPERM. */
int pthread_mutex_unlock(pthread_mutex_t *m)
{
	if ((m->_m_type & 15) == PTHREAD_MUTEX_NORMAL && is_free(m))
		cleave_misused("a mutex is unlocked that is not locked");
	return __musl_pthread_mutex_unlock(m);
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
	return __musl_pthread_rwlock_unlock(lock);
}

int pthread_spin_lock(pthread_spinlock_t *s)
{
	if (*(volatile int *)s)
		cleave_stuck("this thread holds the spin lock");
	*(volatile int *)s = EBUSY;
	return 0;
}

int pthread_spin_unlock(pthread_spinlock_t *s)
{
	if (!*(volatile int *)s)
		cleave_misused("a spin lock is unlocked that is not locked");
	*(volatile int *)s = 0;
	return 0;
}

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
