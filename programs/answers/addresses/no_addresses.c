// What depends on no address is a certain forecast, and nothing else is said.
// cleave: expect paths=1..9
// cleave: code 0
// cleave: never says depends on the addresses
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <klee/klee.h>

static long table[8], other[8];
static char *volatile kept;

static size_t length(const char *s)
{
	const char *p = s;
	while (*p)
		p++;
	return p - s;
}

int main(void)
{
	unsigned char c;
	klee_make_symbolic(&c, 1, "c");
	long *p = table, *volatile q = other, *volatile none = NULL;
	assert(p != q && p != none && none == NULL);
	assert((uintptr_t)p % sizeof(long) == 0 && ((uintptr_t)q & 7) == 0);
	char *heap = malloc(32);
	assert(heap && ((uintptr_t)heap & 15) == 0);
	strcpy(heap, "text");
	assert(length(heap) == 4);
	uintptr_t from = (uintptr_t)heap, to = (uintptr_t)(heap + 4);
	assert(to - from == 4 && from < to);
	kept = heap + 2;
	assert(kept > heap && kept < heap + 32);
	assert(strchr(heap, 'x') == kept);
	/* there and back */
	uintptr_t tagged = (uintptr_t)heap | 1;
	char *again = (char *)(tagged & ~(uintptr_t)1);
	puts(again);
	for (long *at = table; at != table + 8; at++)
		*at = at - table;
	for (long *at = table; at < table + 8; at++)
		if (c == *at)
			return 1;
	memcpy(table, other, sizeof table);
	free(heap);
	return 0;
}
