// A thread has no variable of its own that nobody defines.
// cleave: flags -Wl,--unresolved-symbols=ignore-all
// cleave: expect paths=1 failed=0 unsupported=2
// cleave: code 5
// cleave: link says no bitcode defines `own`
// cleave: says an access to the variable `own`, which is defined nowhere
// cleave: replay no
#include <klee/klee.h>
#include <pthread.h>
#include <stddef.h>

extern __thread int own;

static void *thread(void *unused)
{
	own++; //~ ERROR model
	return unused;
}

int main(void)
{
	unsigned char way;
	klee_make_symbolic(&way, 1, "way");
	if (way == 1)
		return own; //~ ERROR model
	if (way == 2) {
		pthread_t other;
		pthread_create(&other, NULL, thread, NULL);
		pthread_join(other, NULL);
	}
	return 0;
}
