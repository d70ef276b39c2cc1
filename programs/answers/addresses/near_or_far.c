// A distance that is compared with more than the room behind two places depends on where these lie.
// cleave: expect paths=1
// cleave: code 0
// cleave: replay uncertain
// cleave: says the outcome depends on the addresses of objects, on 1 path
#include <stdint.h>
#include <stdio.h>

char a[16], b[16];

int main(void)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
	uintptr_t distance = x > y ? x - y : y - x;
	puts(distance < 17 ? "near" : "far");
	return 0;
}
