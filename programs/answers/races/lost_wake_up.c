// A wake-up is lost where the flag is looked at without the lock: each thread of the deadlock is named.
// cleave: args --explore-schedules all
// cleave: expect failed=1 unsupported=0
// cleave: code 3
// cleave: says thread 3 waits in `waiter` (
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Atomic int ready;

static void *waiter(void *unused)
{
	if (!ready) {
		pthread_mutex_lock(&lock);
		pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
	}
	return 0;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, waiter, 0);
	ready = 1;
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, 0); //~ ERROR deadlock
	return 0;
}
