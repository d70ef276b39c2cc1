// An index that is counted as `index - old + new` depends on no address, as the distance of two places in an object does not.
// cleave: expect paths=5
// cleave: code 0
// cleave: never says depends on the addresses
#include <stdint.h>
#include <stdio.h>
#include <klee/klee.h>

int main(void)
{
	char text[4], *p = text;
	klee_make_symbolic(text, sizeof text, "text");
	volatile uintptr_t less = 0, negated = 0;
	while (p < text + 4 && *p == '1') {
		uintptr_t minus = less - (uintptr_t)p, not = ~(uintptr_t)p + negated + 1;
		p++;
		less = minus + (uintptr_t)p;
		negated = (uintptr_t)p + not;
	}
	printf("%zu %zu %s\n", (size_t)less, (size_t)negated, less > 2 ? "many" : "few");
	return 0;
}
