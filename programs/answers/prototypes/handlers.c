// A table of handlers of several types, all called by one: that is common in interpreters and libraries of containers.
// cleave: levels -O0
// cleave: flags -Wno-cast-function-type-mismatch
// cleave: expect paths=3 failed=1 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>
#include <stdlib.h>

struct node { int value; };

static void release(void *p) { free(p); }
static int reset(struct node *node) { node->value = 0; return 0; }
static int add(struct node *node, int by, int times)
{
	node->value += by;
	if (by == 2)
		node->value += times;
	return 1;
}
static int count(void) { return 4; }

typedef int (*handler)(struct node *, int);
static const handler handlers[] = { (handler)release, (handler)reset, (handler)add, (handler)count };

int main(void)
{
	int which = klee_range(1, 4, "which");
	int by = klee_range(1, 3, "by");
	struct node *node = malloc(sizeof *node);
	node->value = 1;
	handlers[which](node, by);
	int left = node->value;
	handlers[0](node, 0);
	if (which == 2 && by == 2) {
		if (left == 9) //~ ERROR uninitialised
			return 2;
		return 0;
	}
	return which == 1 ? left : 0;
}
