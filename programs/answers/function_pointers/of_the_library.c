// The library calls through pointers of the program: comparators, handlers at the end, of signals, of threads, of streams; and
// through its own, in streams that a choice of the input has taken.
// cleave: expect paths=4..8 failed=0 unsupported=0
// cleave: code 0
#include <klee/klee.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int up(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int down(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }
static void bye(void) { puts("bye"); }
static volatile int seen;
static void caught(int n) { seen += n; }
static void *thread(void *p) { return p; }
static int (*const comparators[])(const void *, const void *) = { up, down };

int main(void)
{
	unsigned char which, stream;
	int numbers[4] = { 3, 1, 4, 2 };
	klee_make_symbolic(&which, 1, "which");
	klee_make_symbolic(&stream, 1, "stream");
	klee_assume(which < 2);
	klee_assume(stream < 2);
	qsort(numbers, 4, sizeof *numbers, comparators[which]);
	int key = 4;
	int *found = bsearch(&key, numbers, 4, sizeof *numbers, comparators[which]);
	atexit(bye);
	signal(SIGUSR1, caught);
	raise(SIGUSR1);
	pthread_t other;
	void *result = 0;
	pthread_create(&other, 0, thread, &key);
	pthread_join(other, &result);
	fprintf(stream ? stdout : stderr, "%d %d\n", numbers[0], numbers[3]);
	fflush(0);
	return found && *found == 4 && seen == SIGUSR1 && result == &key ? 0 : 1;
}
