// Copies that overlap, sprintf into its own argument, and the distance of pointers into two objects.
// cleave: run --check pointer-compare
// cleave: levels -O0
// cleave: expect paths=5 failed=4
// cleave: code 3
// cleave: replay uncertain
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <klee/klee.h>

static int first[4], second[4];
int main(void)
{
	unsigned char op, n;
	klee_make_symbolic(&op, 1, "op");
	klee_make_symbolic(&n, 1, "n");
	char buf[32] = "0123456789abcdef";
	klee_assume(n <= 16);
	switch (op) {
	case 0: memcpy(buf + 4, buf, n); return 0; //~ ERROR ptr
	case 1: memmove(buf + 4, buf, n); return 1;
	case 2: { int *volatile p = first, *volatile q = second; return (int)(p - q) == 0; } //~ ERROR ptr
	case 3: { int *volatile p = first + 4, *volatile q = second; return p == q ? 3 : 4; }
	case 4: sprintf(buf, "%s!", buf); return 5; //~ ERROR ptr
	case 5: strcpy(buf, buf + 2); return 6; //~ ERROR ptr
	case 6: { union { int i; float f; } u; u.f = 1.0f; int *volatile ip = &u.i; return *ip == 0x3f800000 ? 7 : 8; }
	}
	return 0;
}
