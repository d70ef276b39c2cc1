// What races is seen only behind another race: the second thread writes where the first one has let it.
// cleave: levels -O0
// cleave: args --explore-schedules all
// cleave: expect paths=4 failed=13 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <assert.h>
#include <pthread.h>

static int open, balance = 10;

static void *spend(void *unused)
{
	if (open) //~ ERROR race
		balance -= 5; //~ ERROR race
	return 0;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, spend, 0);
	open = 1; //~ ERROR race
	int before = balance; //~ ERROR race
	balance = before + 1; //~ ERROR race
	pthread_join(thread, 0);
	assert(balance == 11 || balance == 6); //~ ERROR assert
	return 0;
}
