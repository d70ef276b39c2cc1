/* The intrinsics natively, for the replay of a test: symbolic objects get the bytes that the test has for them.
 * CLEAVE_TEST names the test, a .ktest file; without it all bytes are zero. */
#include "test.h"
#include <cleave.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void klee_make_symbolic(void *address, size_t size, const char *name)
{
	size_t there;
	if (!name)
		name = "unnamed"; /* as the engine calls it */
	memset(address, 0, size);
	const unsigned char *bytes = cleave_next_object(CLEAVE_SYMBOLIC, name, &there);
	if (bytes)
		memcpy(address, bytes, there < size ? there : size);
}

/* Not memory that a test could let fail. */
void *__real_malloc(size_t size);

void *cleave_symbolic_object(size_t size, size_t most, const char *name)
{
	size_t there;
	unsigned char *object = __real_malloc(size);
	const unsigned char *bytes = cleave_next_object(CLEAVE_SYMBOLIC, name, &there);
	(void)most;
	if (!object)
		abort();
	memset(object, 0, size);
	if (bytes)
		memcpy(object, bytes, there < size ? there : size);
	return object;
}

void klee_assume(uintptr_t condition)
{
	if (!condition)
		_exit(0);
}

_Noreturn void klee_silent_exit(int status)
{
	_exit(status);
}

__attribute__((weak)) void __VERIFIER_error(void)
{
	abort();
}

__attribute__((weak)) void reach_error(void)
{
	abort();
}
