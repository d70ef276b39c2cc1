/* `main` of a native program that has `LLVMFuzzerTestOneInput` in its place: it gets the input of the test that CLEAVE_TEST
 * names, or, without one, the files that stand on the command line, one after the other. */
#include "test.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

/* The driver's memory is none that a test could let fail. */
void *__real_malloc(size_t size);

static _Noreturn void fail(const char *file)
{
	perror(file);
	exit(1);
}

/* As libFuzzer: a copy of exactly `size` bytes, and a pointer that is not null where there are none. */
static void run(const unsigned char *bytes, size_t there, size_t size)
{
	unsigned char *data = __real_malloc(size);
	if (!data)
		fail("the input");
	memset(data, 0, size);
	if (there)
		memcpy(data, bytes, there < size ? there : size);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

static void run_file(const char *name)
{
	static unsigned char bytes[1 << 20];
	FILE *file = fopen(name, "rb");
	if (!file)
		fail(name);
	size_t size = fread(bytes, 1, sizeof bytes, file);
	if (ferror(file))
		fail(name);
	fclose(file);
	run(bytes, size, size);
}

int main(int argc, char **argv)
{
	size_t there = 0, length_size;
	const unsigned char *length = cleave_next_object(CLEAVE_SYMBOLIC, "data-length", &length_size);
	const unsigned char *bytes = length ? cleave_next_object(CLEAVE_SYMBOLIC, "data", &there) : 0;
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	if (length) {
		uint32_t size = 0;
		memcpy(&size, length, length_size < sizeof size ? length_size : sizeof size);
		run(bytes, there, size);
		return 0;
	}
	if (argc < 2) {
		fprintf(stderr, "%s: a fuzz target: name files to run it on\n", argc ? argv[0] : "program");
		return 2;
	}
	for (int i = 1; i < argc; i++)
		if (argv[i][0] != '-')
			run_file(argv[i]);
	return 0;
}
