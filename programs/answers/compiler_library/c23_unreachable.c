// `unreachable` where it can be reached, beside a checked sum.
// cleave: flags -std=c23
// cleave: levels -O0
// cleave: replay uncertain
// cleave: expect paths=2 failed=1 unsupported=0 open=0
// cleave: code 3
#include <klee/klee.h>
#include <stdckdint.h>
#include <stddef.h>

int main()
{
	unsigned char c;
	klee_make_symbolic(&c, 1, "c");
	unsigned char sum;
	if (ckd_add(&sum, c, 200))
		return 1;
	if (c == 7)
		unreachable(); //~ ERROR exec
	return 0;
}
