/* Allocations natively. With `cleave run --fail-malloc` a call may fail: the test says for each, up to the last that
 * fails, whether it does. Calls go through here by the linker's --wrap; what the allocator calls itself is no call of
 * the program's. */
#include "test.h"
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

static int inside;

static int fails(void)
{
	size_t size;
	if (inside)
		return 0;
	int before = errno;
	const unsigned char *answer = cleave_next_object(CLEAVE_ALLOCATIONS, "malloc_fails", &size);
	errno = before;
	return answer && size && *answer;
}

#define WRAPPED(name, parameters, arguments)                    \
	void *__real_##name parameters;                         \
	void *__wrap_##name parameters                          \
	{                                                       \
		if (fails()) {                                  \
			errno = ENOMEM;                         \
			return 0;                               \
		}                                               \
		inside++;                                       \
		void *got = __real_##name arguments;            \
		inside--;                                       \
		return got;                                     \
	}

/* What the allocator reserves may be more than the machine has, as in the model; only what is used counts. */
void *__real___mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap___mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return __real___mmap(at, size, protection, flags | MAP_NORESERVE, fd, offset);
}

WRAPPED(malloc, (size_t size), (size))
WRAPPED(__libc_malloc, (size_t size), (size))
WRAPPED(calloc, (size_t count, size_t size), (count, size))
WRAPPED(__libc_calloc, (size_t count, size_t size), (count, size))
WRAPPED(realloc, (void *old, size_t size), (old, size))
WRAPPED(memalign, (size_t alignment, size_t size), (alignment, size))
WRAPPED(aligned_alloc, (size_t alignment, size_t size), (alignment, size))

int __real_posix_memalign(void **got, size_t alignment, size_t size);
int __wrap_posix_memalign(void **got, size_t alignment, size_t size)
{
	if (fails())
		return ENOMEM;
	inside++;
	int status = __real_posix_memalign(got, alignment, size);
	inside--;
	return status;
}
