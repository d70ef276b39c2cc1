// A hash of an address, and the order of two objects, decide what is written.
// cleave: expect paths=1
// cleave: code 0
// cleave: replay uncertain
// cleave: says the outcome depends on the addresses of objects, on 1 path
#include <stdint.h>
#include <stdio.h>

int a, b;

int main(void)
{
	int local;
	uintptr_t h = (uintptr_t)&local * 2654435761u >> 7;
	if (h & 1)
		puts("odd");
	else
		puts("even");
	return &a < &b;
}
