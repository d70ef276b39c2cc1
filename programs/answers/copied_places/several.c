// Texts and records behind a table of pointers are copied, put together and printed: a path for each length, not for each text.
// cleave: expect paths=3 failed=0
// cleave: code 0
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

struct record {
	int key;
	char name[12];
	struct record *next;
};

static struct record a = {1, "first", 0}, b = {2, "second", &a}, c = {3, "third", &b}, d = {4, "fourth", &c};
static struct record *const records[4] = {&a, &b, &c, &d};
static const char *const names[8] = {"zero", "one", "two", "three", "four", "five", "six", "seven"};

static void __attribute__((noinline)) copy(struct record *to, const struct record *from)
{
	memcpy(to, from, sizeof *to);
}

int main(void)
{
	unsigned char at;
	klee_make_symbolic(&at, 1, "at");
	struct record record;
	copy(&record, records[at & 3]);
	klee_assert((record.key == (at & 3) + 1) & (record.next == records[at & 3]->next));
	const char *name = names[at & 7];
	char line[16];
	snprintf(line, sizeof line, "<%s>", name ? name : "nobody");
	klee_assert((line[1] == name[0]) & (line[3] == name[2]));
	fputs(line, stdout);
	printf(" %s\n", name);
	return record.key;
}
