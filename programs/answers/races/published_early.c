// A length is published before its bytes: races in the program and in the library's copy, and an assertion that depends on the input.
// cleave: levels -O0
// cleave: args --explore-schedules all --sym-arg 2
// cleave: expect paths=8 failed=11 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char bytes[4];
static int length;
static const char *text;

static void *fill(void *unused)
{
	size_t n = strnlen(text, sizeof bytes - 1);
	length = n; //~ ERROR race
	memcpy(bytes, text, n); // too late: where it is second, the assertion has failed
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	text = argv[1];
	pthread_create(&thread, 0, fill, 0);
	int n = length; //~ ERROR race
	if (n == 2) {
		char last = bytes[1]; //~ ERROR race
		assert(last); //~ ERROR assert
	}
	pthread_join(thread, 0);
	return 0;
}
