/* What libFuzzer gives to mutators of a program's own, which nothing calls here. */
#include <stddef.h>

size_t LLVMFuzzerMutate(unsigned char *data, size_t size, size_t most)
{
	(void)data;
	return size < most ? size : most;
}
