// A record out of a table, and three letters out of a text, by an index of the input: a copy is one operation, not a path for each.
// cleave: expect paths=1 failed=0
// cleave: code 0
#include <klee/klee.h>
#include <string.h>

struct month {
	char name[11];
	unsigned char days;
	short first;
	const char *season;
};

static const struct month months[12] = {
	{"January", 31, 0, "winter"}, {"February", 28, 31, "winter"}, {"March", 31, 59, "spring"},
	{"April", 30, 90, "spring"}, {"May", 31, 120, "spring"}, {"June", 30, 151, "summer"},
	{"July", 31, 181, "summer"}, {"August", 31, 212, "summer"}, {"September", 30, 243, "autumn"},
	{"October", 31, 273, "autumn"}, {"November", 30, 304, "autumn"}, {"December", 31, 334, "winter"},
};
static const char short_names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

static void __attribute__((noinline)) copy(void *to, const void *from, unsigned long n)
{
	memcpy(to, from, n);
}

int main(void)
{
	unsigned char c;
	klee_make_symbolic(&c, 1, "c");
	unsigned at = c % 12;
	struct month month;
	copy(&month, &months[at], sizeof month);
	char name[4] = "";
	copy(name, short_names + 3 * at, 3);
	// A byte at a time it is the same.
	const char *one = (const char *)&months[at], *two = (const char *)&month;
	int same = 1;
	for (unsigned i = 0; i < sizeof month; i++)
		same &= one[i] == two[i];
	for (int i = 0; i < 3; i++)
		same &= name[i] == month.name[i];
	klee_assert(same & (name[3] == 0) & (month.season == months[at].season));
	return month.days;
}
