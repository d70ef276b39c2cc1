// A pointer is moved far in front of its object: arithmetic wraps where the model puts objects, and not where machines put them. The bug is
// told, but what comes behind it natively is uncertain.
// cleave: flags -fsanitize=pointer-overflow
// cleave: expect paths=1 failed=3
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>
#include <stdlib.h>

int main(void)
{
	int offset;
	char *bytes = malloc(64);
	if (!bytes)
		return 1;
	klee_make_symbolic(&offset, sizeof offset, "offset");
	klee_assume(offset < 64);
	bytes[offset] = 1; //~ ERROR ptr
	return 0;
}
