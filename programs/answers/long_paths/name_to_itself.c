// A DNS name that points to itself, read by a recursion that counts its hops with a limit out of the input.
// cleave: run --max-stack-frames 8000
// cleave: expect paths=5 failed=1
// cleave: seconds 40
// cleave: replay no
#include <klee/klee.h>
#include <string.h>

static unsigned char message[26];
volatile int sink;

static int name(unsigned at, unsigned hops)
{
	if (at >= sizeof message) //~ ERROR stack_overflow
		return 1;
	unsigned char n = message[at++];
	if (n == 0)
		return 0;
	if ((n & 0xC0) != 0xC0)
		return 2;
	if (at >= sizeof message)
		return 1;
	unsigned to = (n & 0x3F) << 8 | message[at];
	if (hops == 0)
		return 3;
	return name(to, hops - 1) + sink;
}

int main(void)
{
	unsigned char in[2];
	unsigned hops;
	klee_make_symbolic(in, sizeof in, "in");
	klee_make_symbolic(&hops, sizeof hops, "hops");
	klee_assume(hops > 1000000);
	memcpy(message + 12, in, sizeof in);
	return name(12, hops);
}
