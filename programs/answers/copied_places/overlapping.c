// Two places of one object that the input tells: they overlap, or they do not, or they are the same.
// cleave: expect paths=1 failed=1
// cleave: code 3
// cleave: replay uncertain
// cleave: says a copy of 3 bytes inside of
#include <klee/klee.h>
#include <string.h>

static void __attribute__((noinline)) copy(char *to, const char *from)
{
	memcpy(to, from, 3); //~ ERROR ptr
}

int main(void)
{
	unsigned char to, from;
	char text[12] = "0123456789.";
	klee_make_symbolic(&to, 1, "to");
	klee_make_symbolic(&from, 1, "from");
	to &= 7;
	from &= 7;
	copy(text + to, text + from);
	return text[to] != '0' + from;
}
