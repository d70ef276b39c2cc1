// SV-COMP: a function whose name begins with __VERIFIER_atomic_ is not interrupted, inlined or not; also in front of atomic accesses.
// cleave: args --explore-schedules all
// cleave: code 0
// cleave: expect paths=31 failed=0 unsupported=0
#include <pthread.h>
#include <stdatomic.h>
void reach_error(void);

static atomic_int left = 5, right = 5;
static int moved;

static void __VERIFIER_atomic_move(int by)
{
	if (left < by)
		return;
	left -= by;
	right += by;
	moved++;
}

static int __VERIFIER_atomic_sum(void)
{
	return left + right;
}

static void *work(void *unused)
{
	__VERIFIER_atomic_move(2);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], 0, work, 0);
	if (__VERIFIER_atomic_sum() != 10)
		reach_error();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
	if (moved != 2)
		reach_error();
	return 0;
}
