// The byte behind the input is a bug, for every size on one path.
// cleave: flags -fsanitize=fuzzer
// cleave: expect paths=2 failed=1
// cleave: says the input of the fuzz target
// cleave: code 3
// cleave: replay uncertain
#include <stddef.h>
#include <stdint.h>

static volatile unsigned seen;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	if (data[0] != 'F')
		return -1;
	seen = data[size]; //~ ERROR ptr
	return 0;
}
