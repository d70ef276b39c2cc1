/* `main` of a program that has `LLVMFuzzerTestOneInput` in its place, as libFuzzer's: one symbolic input of up to --max-len
 * bytes. A program with a `main` of its own never gets this one out of the library. */
#include <klee/klee.h>

/* What cleave_env_get is asked for: the longest input (see start.c for the other keys). */
enum { LONGEST_INPUT = 8 };

long cleave_env_get(long key, long index);
/* A new object of `size` symbolic bytes, which are at most `most`: an input of the test. */
void *cleave_sized_input(size_t size, size_t most, const char *name);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

int main(int argc, char **argv)
{
	size_t most = cleave_env_get(LONGEST_INPUT, 0);
	uint32_t size;
	klee_make_symbolic(&size, sizeof size, "data-length");
	klee_assume(size <= most);
	unsigned char *data = cleave_sized_input(size, most, "data");
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	LLVMFuzzerTestOneInput(data, size);
	return 0;
}
