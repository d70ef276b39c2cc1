// The address of an object that the input chooses is written: the output is another one on each machine.
// cleave: expect paths=1
// cleave: code 0
// cleave: replay uncertain
// cleave: says the outcome depends on the addresses of objects, on 1 path
#include <klee/klee.h>
#include <stdint.h>
#include <stdio.h>

static int first, second, third, fourth;

int main(void)
{
	unsigned char c;
	int *const all[4] = { &first, &second, &third, &fourth };
	klee_make_symbolic(&c, 1, "c");
	uintptr_t number = (uintptr_t)all[c & 3];
	fwrite(&number, sizeof number, 1, stdout);
	return 0;
}
