// Numbers of 16 bits that are inputs: a product, a sum that is rounded, a comparison, a conversion.
// cleave: expect failed=2 unsupported=0 open=0
// cleave: code 3
#include <assert.h>
#include <klee/klee.h>

int main(void)
{
	_Float16 h;
	__bf16 b;
	klee_make_symbolic(&h, sizeof h, "h");
	if (h > 2 && h < 3) {
		assert(h * h != (_Float16)6.25); //~ ERROR assert
		return 1;
	}
	if (!(h > 4096))
		return h != h ? 2 : 3;
	klee_make_symbolic(&b, sizeof b, "b");
	if ((float)b <= 256 || (float)b >= 512)
		return 4;
	/* One is half of the last place: it is rounded to an even number. */
	__bf16 next = b + 1;
	assert((float)next == (float)b || (int)b != 258); //~ ERROR assert
	return 5;
}
