// A thread waits for a plain flag. That is a race; no order of the accesses shows the data before they are there.
// cleave: levels -O0
// cleave: args --explore-schedules all
// cleave: expect paths=3 failed=6 unsupported=0
// cleave: code 3
// cleave: replay no
#include <assert.h>
#include <pthread.h>

static int flag, data;

static void *work(void *unused)
{
	data = 7;
	flag = 1; //~ ERROR race
	return 0;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, work, 0);
	while (!flag) //~ ERROR race
		;
	assert(data == 7); //~ ERROR race
	pthread_join(thread, 0);
	return 0;
}
