// Bytes of the input are copied, and others filled, to a place that the input tells: no path for each place.
// cleave: expect paths=1 failed=0
// cleave: code 0
#include <klee/klee.h>
#include <string.h>

static void __attribute__((noinline)) fill(char *to, int c, unsigned long n)
{
	memset(to, c, n);
}

static void __attribute__((noinline)) move(char *to, const char *from, unsigned long n)
{
	memmove(to, from, n);
}

int main(void)
{
	unsigned char at;
	char line[12], moved[12], text[3];
	klee_make_symbolic(&at, 1, "at");
	klee_make_symbolic(text, 3, "text");
	at &= 7;
	memset(line, '.', sizeof line);
	fill(line + at, 'x', 2);
	move(line + at + 1, text, 3);
	memcpy(moved, line, sizeof line);
	// The two places overlap: all bytes are read before one is written.
	move(moved + at, moved + at + 1, 4);
	int right = 1;
	for (unsigned i = 0; i < sizeof line; i++) {
		unsigned behind = i - at;
		right &= (line[i] == 'x') | (behind != 0);
		right &= (line[i] == '.') | (behind < 4);
		right &= (line[i] == text[(behind - 1) % 4 % 3]) | (behind - 1 >= 3);
		right &= (moved[i] == line[(i + 1) % 12]) | (behind >= 4);
		right &= (moved[i] == line[i]) | (behind < 4);
	}
	klee_assert(right);
	return line[0] == 'x';
}
