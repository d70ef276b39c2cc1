// What a program of this folder looks like: two paths, one of which ends in a bug at a known line.
// cleave: expect paths=1 failed=1
// cleave: code 3
#include <assert.h>
#include <klee/klee.h>

int main(void)
{
	unsigned char c;
	klee_make_symbolic(&c, 1, "c");
	assert(c != 7); //~ ERROR assert
	return 0;
}
