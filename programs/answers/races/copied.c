// The library accesses on behalf of the program: a record is copied while another thread fills it in.
// cleave: levels -O0
// cleave: args --explore-schedules all
// cleave: expect paths=3 failed=9 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct record { int left, right; };
static struct record shared;

static void *fill(void *unused)
{
	shared.left = 1; //~ ERROR race
	shared.right = 1; //~ ERROR race
	return 0;
}

int main(void)
{
	pthread_t thread;
	struct record own;
	pthread_create(&thread, 0, fill, 0);
	memcpy(&own, &shared, sizeof own); //~ ERROR race
	pthread_join(thread, 0);
	assert(own.left >= own.right);
	assert(own.left == own.right); //~ ERROR assert
	return 0;
}
