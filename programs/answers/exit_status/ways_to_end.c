// A status that nobody has set, by each way in which a program ends. What is told is the line of the program.
// cleave: levels -O0
// cleave: expect paths=2 failed=8 unsupported=0
// cleave: code 3
// cleave: never says runtime/musl
// cleave: never says build/src
// cleave: replay uncertain
#include <klee/klee.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int status;

static int pick(void)
{
	int x;
	int *p = &x;
	return *p;
}

static void *thread(void *way)
{
	if (!way)
		exit(pick()); //~ ERROR uninitialised
	return (void *)(long)pick();
}

static int from_thread(int way)
{
	pthread_t other;
	void *result = NULL;
	pthread_create(&other, NULL, thread, way ? &status : NULL);
	pthread_join(other, &result);
	return (int)(long)result;
}

int main(void)
{
	unsigned char way;
	klee_make_symbolic(&way, 1, "way");
	int low = 7, parts = pick();
	switch (way) {
	case 0:
		exit(pick()); //~ ERROR uninitialised
	case 1:
		_exit(pick()); //~ ERROR uninitialised
	case 2:
		_Exit(pick()); //~ ERROR uninitialised
	case 3:
		quick_exit(pick()); //~ ERROR uninitialised
	case 4:
		status = pick();
		return status; //~ ERROR uninitialised
	case 5:
		return from_thread(0);
	case 6:
		return from_thread(1); //~ ERROR uninitialised
	case 7:
		return parts & 0xffff00; // no part of the status
	case 8:
		if (low)
			return parts | low; //~ ERROR uninitialised
	}
	return low;
}
