// The first thread does not wait for the other one: what that does before the end is part of some orders, and races.
// cleave: levels -O0
// cleave: args --explore-schedules all
// cleave: expect paths=3 failed=5 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <assert.h>
#include <pthread.h>

static int ready;

static void *work(void *unused)
{
	assert(!ready); //~ ERROR race //~ ERROR assert
	return 0;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, work, 0);
	ready = 1; //~ ERROR race
	return 0;
}
