// Constants that are computed: addresses as indices, integers of many bits, and what a program asks of the compiler.
//
// cleave: expect paths=1
// cleave: flags -w
// cleave: exit 0
#include <stdio.h>
#include <string.h>

int a;
static char table[40];
unsigned _BitInt(200) big = (unsigned _BitInt(200))0x123456789abcdef0 << 136 | 0xfedcba9876543210;
_BitInt(256) minus = -2;
unsigned _BitInt(128) edge = ~(unsigned _BitInt(128))0;
struct {
	char before;
	unsigned _BitInt(300) wide[2];
	char behind;
} held = {1, {5, (unsigned _BitInt(300))1 << 290}, 2};

static void bytes(const char *name, const void *p, int n)
{
	printf("%s", name);
	while (n--)
		printf(" %02x", ((const unsigned char *)p)[n]);
	putchar('\n');
}

int main(void)
{
	void *p1 = &((char *)0)[(long)&a], *p2 = &a;
	static char *behind = table + 7;
	static long distance = (long)&table[0];
	static const int choice = __builtin_constant_p(3) ? 1 : 2;
	char local[24];
	bytes("big", &big, 25);
	bytes("minus", &minus, 32);
	bytes("edge", &edge, 16);
	bytes("wide", held.wide, 76);
	printf("%d %d %d %d\n", held.before, held.behind, p1 == p2, behind - (char *)distance == 7);
	printf("%zu %zu %d %d\n", __builtin_object_size(local, 0), __builtin_object_size(local + 20, 1), choice,
	       __builtin_constant_p(a));
	return 0;
}
