// Atomic objects of 3, 12, 16 and 24 bytes.
// cleave: expect paths=4 failed=1 unsupported=0 open=0
// cleave: code 3
#include <assert.h>
#include <klee/klee.h>
#include <stdatomic.h>
#include <string.h>

struct three {
	char c[3];
};
struct twelve {
	int v[3];
};
struct wide {
	long v[3];
};

static _Atomic struct three three;
static _Atomic struct twelve twelve;
static _Atomic struct wide wide;
static _Atomic __int128 pair = 5;
static _Atomic long double number = 1;

int main(void)
{
	unsigned char c;
	klee_make_symbolic(&c, 1, "c");
	atomic_store(&three, ((struct three){{1, 2, c}}));
	struct three got = atomic_load(&three);
	if (got.c[2] == 7)
		return got.c[0] + got.c[1];
	struct wide old = {{1, 2, 3}}, next = {{c, 5, 6}};
	if (atomic_compare_exchange_strong(&wide, &old, next))
		return 90;
	if (!atomic_compare_exchange_strong(&wide, &old, next))
		return 91;
	struct wide was = atomic_exchange(&wide, old);
	assert(was.v[0] != 9); //~ ERROR assert
	struct twelve t = atomic_exchange(&twelve, ((struct twelve){{1, c, 3}}));
	t = atomic_load(&twelve);
	if (t.v[1] == 33)
		return 33;
	pair += c;
	pair ^= 1;
	__int128 expected = c + 5 ^ 1;
	if (!atomic_compare_exchange_strong(&pair, &expected, -1))
		return 92;
	number += 2;
	__int128 plain = 1;
	__sync_fetch_and_nand(&plain, 3);
	if (c > 200)
		return pair == -1 ? (int)number : 93;
	return plain == ~(__int128)1 ? 0 : 94;
}
