// Two threads count without a lock: the race is told, and what stands behind it is decided in all orders of the accesses. Of the
// four orders that differ two lose an update.
// cleave: levels -O0
// cleave: args --explore-schedules all
// cleave: expect paths=2 failed=11 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <assert.h>
#include <pthread.h>

static int count;

static void *work(void *unused)
{
	count++; //~ ERROR race
	return 0;
}

int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
	assert(count >= 1);
	assert(count == 2); //~ ERROR assert
	return 0;
}
