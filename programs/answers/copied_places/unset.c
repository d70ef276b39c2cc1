// Bytes that nobody has set are copied as such, and found where one is used: for the place that has them, and for no other.
// cleave: expect paths=2 failed=1
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>
#include <string.h>

static volatile int six;

struct pair {
	int key;
	char text[8];
};

static void __attribute__((noinline)) copy(struct pair *to, const struct pair *from)
{
	memcpy(to, from, sizeof *to);
}

int main(void)
{
	unsigned char c;
	struct pair pairs[4], chosen;
	klee_make_symbolic(&c, 1, "c");
	for (int i = 0; i < 3; i++) {
		memset(&pairs[i], 0, sizeof pairs[i]);
		pairs[i].key = 5 + i;
	}
	pairs[3].text[0] = 'k';
	copy(&chosen, &pairs[c & 3]);
	if (chosen.key == 6) //~ ERROR uninitialised
		six = 1;
	return six;
}
