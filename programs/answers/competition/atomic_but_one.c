// As with __VERIFIER_atomic_begin: what is outside of the atomic functions comes between them, and not into them.
// cleave: args --explore-schedules all
// cleave: expect paths=26 failed=4 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <pthread.h>
#include <stdatomic.h>
void reach_error(void);

static atomic_int lock, inside;

static int __VERIFIER_atomic_take(void)
{
	if (lock)
		return 0;
	lock = 1;
	return 1;
}

static void *work(void *unused)
{
	if (__VERIFIER_atomic_take()) {
		inside++;
		if (inside != 1)
			reach_error(); //~ ERROR report_error
		lock = 0; // too early
		inside--;
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
	return 0;
}
