// A thread writes under the reader's side of a lock: readers are not ordered among themselves, so it races, and a reader sees one half.
// cleave: levels -O0
// cleave: args --explore-schedules all
// cleave: expect paths=32 failed=118 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int x, y;

static void *writer(void *unused)
{
	pthread_rwlock_rdlock(&lock);
	x = 1; //~ ERROR race
	y = 1; //~ ERROR race
	pthread_rwlock_unlock(&lock);
	return 0;
}

static void *reader(void *unused)
{
	pthread_rwlock_rdlock(&lock);
	int a = x; //~ ERROR race
	int b = y; //~ ERROR race
	assert(a == b); //~ ERROR assert
	pthread_rwlock_unlock(&lock);
	return 0;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], 0, writer, 0);
	pthread_create(&threads[1], 0, reader, 0);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	pthread_rwlock_wrlock(&lock);
	assert(x == 1 && y == 1);
	pthread_rwlock_unlock(&lock);
	return 0;
}
