// A parser: a header, a length field that is believed, and a record beyond the input.
// cleave: run --max-len 16
// cleave: expect failed=1
// cleave: code 3
// cleave: replay uncertain
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static volatile unsigned sum;

static void record(const uint8_t *data, size_t size)
{
	unsigned length = data[4];
	if (length > 3)
		return;
	sum = data[5 + length]; //~ ERROR ptr
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 6 || memcmp(data, "RIFF", 4))
		return 0;
	record(data, size);
	return 0;
}
