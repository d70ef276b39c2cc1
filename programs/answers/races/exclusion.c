// Peterson's algorithm with plain variables: racy, and right in all orders. Without the turn it is not.
// cleave: levels -O0
// cleave: args --explore-schedules all
// cleave: expect paths=10 failed=79 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <assert.h>
#include <pthread.h>

static int wants[2], turn, inside;

static void *work(void *argument)
{
	int own = argument != 0;
	wants[own] = 1; //~ ERROR race
	turn = !own; //~ ERROR race
	if (wants[!own] && turn != own) //~ ERROR race
		return 0;
	assert(inside == 0); //~ ERROR race
	inside = 1; //~ ERROR race
	inside = 0; //~ ERROR race
	wants[own] = 0; //~ ERROR race
	return 0;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], 0, work, 0);
	pthread_create(&threads[1], 0, work, &turn);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	return 0;
}
