// Pointers that leave their object and come back, or are made from integers, are as good as any.
// cleave: expect paths=1..64
// cleave: code 0
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <klee/klee.h>

struct item { int key; struct list { struct list *next, *prev; } link; char name[8]; };
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))

static char left[32] = "left", right[32] = "right", far[32] = "far";

static int moved(const char *p, volatile long by)
{
	const char *q = p + by;
	q -= by - 1;
	return q[-1];
}

int main(void)
{
	unsigned char i, c;
	klee_make_symbolic(&i, 1, "i");
	klee_make_symbolic(&c, 1, "c");
	klee_assume(i < 5);
	assert(moved(left, 3 << 20) == 'l');
	assert(moved(right, -(5 << 20)) == 'r');
	/* p - q + r, by way of another object */
	char *volatile p = left, *volatile q = right, *volatile r = far;
	char *way = (char *)((uintptr_t)p - (uintptr_t)q + (uintptr_t)r - (uintptr_t)p + (uintptr_t)q);
	assert(*way == 'f');
	/* moved with its object, before and after that is freed */
	char *old = malloc(8), *at = old + 3, *later = old + 4;
	strcpy(old, "moving");
	char *new = malloc(64);
	memcpy(new, old, 8);
	at += new - old;
	ptrdiff_t distance = new - old;
	free(old);
	later += distance;
	assert(*at == 'i' && *later == 'n');
	/* symbolic there and back */
	char *s = left + (i + 900) - 900;
	assert(*s == left[i]);
	char *t = left + ((long)i << 20);
	t -= (long)i << 20;
	assert(*t == 'l');
	/* a choice of pointers */
	char *u = c & 1 ? left : right;
	char *v = c & 2 ? u + i : far + i;
	assert(*v == (c & 2 ? (c & 1 ? left[i] : right[i]) : far[i]));
	/* an exclusive-or list, a tagged pointer, halves */
	uintptr_t both = (uintptr_t)(left + i) ^ (uintptr_t)right;
	assert(*(char *)(both ^ (uintptr_t)right) == left[i]);
	assert(*(char *)(((uintptr_t)(right + i) << 1 | 1) >> 1) == right[i]);
	uint32_t halves[2];
	char *whole = far + i, *again;
	memcpy(halves, &whole, 8);
	((volatile uint32_t *)&again)[1] = halves[1];
	((volatile uint32_t *)&again)[0] = halves[0];
	assert(*again == far[i]);
	/* from a member to its structure and to another member */
	struct item items[3] = { { 1, { 0, 0 }, "one" }, { 2, { 0, 0 }, "two" }, { 3, { 0, 0 }, "six" } };
	struct list *link = &items[i % 3].link;
	assert(container_of(link, struct item, link)->key == i % 3 + 1);
	return 0;
}
