// The parts of a program in memory, of which the engine's unwinder needs none, and functions that the C library may have: Rust's std asks
// for both, and does without.
#include <stddef.h>

struct dl_phdr_info;

int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
	(void)callback;
	(void)data;
	return 0;
}

void *dlsym(void *library, const char *name)
{
	(void)library;
	(void)name;
	return NULL;
}
