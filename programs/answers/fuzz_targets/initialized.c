// LLVMFuzzerInitialize comes first; the input is never null; --max-len bounds it: 1 + 2 + 4 + 8 paths.
// cleave: run --max-len 3
// cleave: expect paths=15 failed=0
// cleave: code 0
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static volatile int ready, hits;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	ready = *argc >= 1 && (*argv)[0];
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!ready || !data || size > 3)
		abort();
	for (size_t i = 0; i < size; i++)
		if (data[i] == 'x')
			hits++;
	return 0;
}
