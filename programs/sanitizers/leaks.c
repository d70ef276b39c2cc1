// Objects of the heap that are lost when the program ends, beside objects that something still points to.
// cleave: run --check leak
#include <klee/klee.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline)) static

struct node {
	struct node *next;
	char *text;
};

static void *volatile global;
static char *inner;
static struct node *list;
static _Thread_local void *local;
static char *volatile table[4];
static uintptr_t number;
static char bytes[16];

APART struct node *node(struct node *next, char *text)
{
	struct node *made = malloc(sizeof *made); //~ ERROR leak: 2 heap objects of 32 bytes together, allocated in `node` (
	made->next = next;
	made->text = text;
	return made;
}

APART void lose(size_t size)
{
	global = malloc(size); //~ ERROR leak: a heap object of 10 bytes, allocated in `lose` (
	global = 0;
}

APART void keep(unsigned char k, unsigned char n)
{
	char *p;
	switch (k) {
	case 10:
		global = malloc(5);
		break;
	case 11:
		p = malloc(64);
		inner = p + 32;
		break;
	case 12:
		list = node(node(0, strdup("a")), strdup("b"));
		break;
	case 13:
		local = malloc(5);
		break;
	case 14:
		table[n & 3] = malloc(5);
		break;
	case 15:
		p = malloc(64);
		inner = p + (n & 31);
		break;
	case 16:
		number = (uintptr_t)malloc(5);
		break;
	case 17:
		list = node(0, 0);
		list->next = list;
		break;
	case 18:
		global = fopen("/dev/null", "r");
		break;
	case 19: {
		char *two[2] = { malloc(3), malloc(3) };
		free(two[n & 1]);
		table[0] = two[~n & 1];
		break;
	}
	}
}

APART void leak(unsigned char k, unsigned char n)
{
	switch (k) {
	case 1:
		lose(10);
		break;
	case 2:
		global = node(0, 0);
		global = node(0, strdup("behind"));
		global = 0;
		break;
	case 3: {
		struct node *ring = calloc(1, sizeof *ring); //~ ERROR leak: a heap object of 16 bytes, allocated in `leak` (
		ring->next = calloc(1, sizeof *ring);
		ring->next->next = ring;
		break;
	}
	case 4:
		global = malloc(7); //~ ERROR leak: a heap object of 7 bytes
		memcpy(bytes + 3, (void *)&global, sizeof global);
		global = 0;
		break;
	case 5:
		global = malloc(8); //~ ERROR leak: a heap object of 8 bytes
		if (n > 100)
			free(global);
		global = 0;
		break;
	case 6:
		global = malloc(0); //~ ERROR leak: a heap object of 0 bytes
		global = 0;
		break;
	case 7:
		table[n & 3] = malloc(9); //~ ERROR leak: a heap object of 9 bytes
		table[n & 3] = 0;
		break;
	}
}

int main(void)
{
	unsigned char k, n;
	klee_make_symbolic(&k, sizeof k, "k");
	klee_make_symbolic(&n, sizeof n, "n");
	klee_make_symbolic(bytes, 2, "bytes");
	keep(k, n);
	leak(k, n);
	if (k == 20) {
		lose(10);
		_exit(1);
	}
	if (k == 21) {
		void *volatile mine = malloc(6);
		exit(mine == 0);
	}
	if (k == 22) {
		lose(10);
		exit(2);
	}
	return 0;
}
