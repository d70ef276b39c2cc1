// Accesses to local variables behind the end of their block, beside blocks that are entered again.
#include <klee/klee.h>
#include <string.h>

static volatile int sink;
static volatile int pair[2];
static int *volatile kept;
static char *volatile text;

__attribute__((noinline)) static int *keep(int *p)
{
	kept = p;
	return kept;
}

static int loop(void)
{
	int sum = 0;
	for (int i = 0; i < 4; i++) {
		int values[4];
		int *p = keep(values);
		for (int j = 0; j < 4; j++)
			p[j] = i + j;
		if (i == 2)
			continue;
		sum += p[3];
		if (i == 3)
			break;
	}
	return sum;
}

static int again(void)
{
	int tries = 0;
repeat: {
	int values[2];
	int *p = keep(values);
	p[0] = tries;
	p[1] = 1;
	if (p[0] + p[1] < 3) {
		tries++;
		goto repeat;
	}
}
	return tries;
}

static int cases(unsigned char k)
{
	switch (k) {
		int between[2];
	case 40:
		keep(between)[0] = 1;
		return kept[0];
	case 41:
		keep(between)[0] = 2;
		return kept[0];
	}
	return 0;
}

int main(void)
{
	unsigned char k, n;
	klee_make_symbolic(&k, sizeof k, "k");
	klee_make_symbolic(&n, sizeof n, "n");
	switch (k) {
	case 1: {
		{
			int inner[3] = { 1, 2, 3 };
			keep(inner);
		}
		sink = kept[1]; //~ ERROR ptr: at offset 4 of a local object of 12 bytes of `main` (
		break;
	}
	case 2: {
		{
			int inner = 1;
			keep(&inner);
		}
		*kept = 5; //~ ERROR ptr: whose scope ended in `main` (
		break;
	}
	case 3:
		for (int i = 0; i < 2; i++) {
			int local[2];
			if (i == 1)
				sink = pair[kept[0] & 1]; //~ ERROR uninitialised
			keep(local)[0] = i;
		}
		break;
	case 4: {
		char all[8] = "abc";
		{
			char part[8] = "def";
			text = part;
		}
		memcpy(all, text, 4); //~ ERROR ptr: whose scope ended in `main` (
		text = all;
		sink = text[0];
		break;
	}
	case 5:
		if (n < 3) {
			int inner[3] = { 1, 2, 3 };
			keep(inner);
		} else {
			int other[3] = { 4, 5, 6 };
			sink = keep(other)[n % 3];
			break;
		}
		sink = kept[n]; //~ ERROR ptr: whose scope ended in `main` (
		break;
	case 6:
		return loop() != 10;
	case 7:
		return again() != 2;
	case 40:
	case 41:
		return cases(k);
	case 8: {
		int *p = 0;
		for (int i = 0; i < 3; i++) {
			int x;
			if (i == 0)
				x = 1;
			p = keep(&x);
			if (i == 0)
				continue;
			sink = pair[*p & 1]; //~ ERROR uninitialised
		}
		break;
	}
	}
	return 0;
}
