// Bits that the alignment of each object fixes, and a comparison with null, depend on no address, whichever object the input chooses.
// cleave: expect paths=1
// cleave: code 0
// cleave: never says depends on the addresses
#include <klee/klee.h>
#include <stdint.h>
#include <stdio.h>

static int first, second;
static long third, fourth;

int main(void)
{
	unsigned char c;
	void *const all[4] = { &first, &second, &third, &fourth };
	klee_make_symbolic(&c, 1, "c");
	uintptr_t number = (uintptr_t)all[c & 3];
	printf("%d %d\n", (int)(number % 4), number == 0);
	return 0;
}
