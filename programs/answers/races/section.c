// Nothing comes between the statements of an atomic section, also where they race with accesses outside of it.
// cleave: levels -O0
// cleave: args --explore-schedules all
// cleave: expect paths=1 failed=10 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x, y;

static void *writer(void *unused)
{
	__VERIFIER_atomic_begin();
	x = 1; //~ ERROR race
	x = 2; //~ ERROR race
	y = x; //~ ERROR race
	__VERIFIER_atomic_end();
	return 0;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, writer, 0);
	int first = x; //~ ERROR race
	assert(first != 1);
	int second = y; //~ ERROR race
	assert(first == 0 || second == 2);
	assert(second == 0); //~ ERROR assert
	pthread_join(thread, 0);
	return 0;
}
