// Atomic sections of several threads: no update is lost, in any order.
// cleave: args --explore-schedules all
// cleave: modes symbolic
// cleave: expect failed=0
// cleave: code 0
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
void reach_error(void);

static int counter;

static void *add(void *unused)
{
	__VERIFIER_atomic_begin();
	int before = counter;
	counter = before + 1;
	__VERIFIER_atomic_end();
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], 0, add, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
	__VERIFIER_atomic_begin();
	if (counter != 2)
		reach_error();
	__VERIFIER_atomic_end();
	return 0;
}
