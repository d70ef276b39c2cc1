/* C11's locks, conditions and the like, as those of POSIX that are looked at (contracts.c and points.c). */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <threads.h>

static int answer(int error)
{
	return error == 0 ? thrd_success : error == EBUSY ? thrd_busy : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

int mtx_lock(mtx_t *m)
{
	return answer(pthread_mutex_lock((pthread_mutex_t *)m));
}

int mtx_trylock(mtx_t *m)
{
	return answer(pthread_mutex_trylock((pthread_mutex_t *)m));
}

int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict at)
{
	return answer(pthread_mutex_timedlock((pthread_mutex_t *)m, at));
}

int mtx_unlock(mtx_t *m)
{
	return answer(pthread_mutex_unlock((pthread_mutex_t *)m));
}

int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict at)
{
	return answer(pthread_cond_timedwait((pthread_cond_t *)c, (pthread_mutex_t *)m, at));
}

int cnd_wait(cnd_t *c, mtx_t *m)
{
	return cnd_timedwait(c, m, 0);
}

int cnd_signal(cnd_t *c)
{
	return answer(pthread_cond_signal((pthread_cond_t *)c));
}

int cnd_broadcast(cnd_t *c)
{
	return answer(pthread_cond_broadcast((pthread_cond_t *)c));
}

void call_once(once_flag *flag, void (*function)(void))
{
	pthread_once(flag, function);
}

int thrd_join(thrd_t thread, int *result)
{
	void *value;
	int error = pthread_join(thread, &value);
	if (!error && result)
		*result = (intptr_t)value;
	return answer(error);
}
