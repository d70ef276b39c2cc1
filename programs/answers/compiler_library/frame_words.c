// The words of a frame are not modelled, and a read of them is no bug.
// cleave: expect paths=1 failed=0 unsupported=1 open=0
// cleave: says an access to a function's frame
// cleave: replay no
// cleave: code 5
#include <klee/klee.h>

int main(void)
{
	unsigned char c;
	klee_make_symbolic(&c, 1, "c");
	if (c > 100)
		return *(void *volatile *)__builtin_frame_address(0) != 0; //~ ERROR model
	return 0;
}
