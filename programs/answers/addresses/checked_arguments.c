// The checks of UndefinedBehaviorSanitizer look at the alignment of the vector of arguments, of thread-local variables and of mapped
// pages. These are aligned wherever they lie, so nothing depends on their addresses.
// At -O2 clang makes a switch on the address of a check.
// cleave: flags -fsanitize=undefined
// cleave: args --sym-arg 2
// cleave: expect paths=2
// cleave: code 0
// cleave: never says depends on the addresses
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

static _Thread_local long own[2];

static void *other(void *text)
{
	long *at = own;
	at[1] = *(const char *)text;
	return (void *)at[1];
}

int main(int argc, char **argv)
{
	pthread_t thread;
	void *first;
	const char *text = argv[1];
	char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || (uintptr_t)page % 4096)
		return 1;
	*(long *)page = argc;
	if (pthread_create(&thread, 0, other, argv[1]) || pthread_join(thread, &first))
		return 2;
	own[0] = (long)first == text[0];
	if (text[0] == 'x')
		return own[0] != 1;
	return own[0] + (*(long *)page == 2) != 2;
}
