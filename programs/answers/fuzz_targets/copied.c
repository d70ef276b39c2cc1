// An input that is copied into a buffer that is too small: one bug, whatever the size. The flags are those of a fuzzing build.
// cleave: levels -O0
// cleave: flags -fsanitize=fuzzer,address -fsanitize-coverage=trace-cmp
// cleave: link says -fsanitize=address is left out
// cleave: expect paths=1 failed=1
// cleave: code 3
// cleave: replay uncertain
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static volatile unsigned sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char header[8] = "";
	memcpy(header, data, size); //~ ERROR ptr
	sink = header[0];
	return 0;
}
