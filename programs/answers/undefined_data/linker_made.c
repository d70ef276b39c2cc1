// What the linker makes has an address, and what lies there is no part of the model.
// cleave: expect paths=1 failed=0 unsupported=2
// cleave: code 5
// cleave: says an access to what is at `__ehdr_start`, which the linker makes
// cleave: says an access to what is at `__init_array_start`, which the linker makes
// cleave: replay no
#include <klee/klee.h>

extern const unsigned char __ehdr_start[];
extern void (*__init_array_start[])(void);

int main(void)
{
	unsigned char way;
	klee_make_symbolic(&way, 1, "way");
	if (way == 1)
		return __ehdr_start[0] != 0x7f; //~ ERROR model
	if (way == 2)
		__init_array_start[0](); //~ ERROR model
	return 0;
}
