// A copy is outside of its source for some places, of its destination for others, and each of these is one path.
// cleave: expect paths=1 failed=2
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>
#include <string.h>

static void __attribute__((noinline)) copy(char *to, const char *from)
{
	memcpy(to, from, 3); //~ ERROR ptr
}

int main(void)
{
	unsigned char to, from;
	char *source = strdup("seven..");
	char target[5] = "";
	klee_make_symbolic(&to, 1, "to");
	klee_make_symbolic(&from, 1, "from");
	copy(target + to % 4, source + from % 8);
	return target[0];
}
