// A list whose elements are all compared with one bound, and each with the one behind it.
// cleave: expect paths=1 failed=0
// cleave: seconds 40
#include <klee/klee.h>
#include <stdlib.h>

enum { LENGTH = 10000 };

struct node {
	struct node *next;
	int value;
};

static int values[LENGTH];

int main(void)
{
	int bound, length = 0;
	struct node *head = NULL;
	klee_make_symbolic(values, sizeof values, "values");
	klee_make_symbolic(&bound, sizeof bound, "bound");
	for (int i = 0; i < LENGTH; i++) {
		struct node *node = malloc(sizeof *node);
		node->next = head;
		node->value = values[i];
		head = node;
	}
	while (head) {
		struct node *next = head->next;
		klee_assume(head->value < bound);
		if (next)
			klee_assume(head->value != next->value);
		free(head);
		head = next;
		length++;
	}
	return length == LENGTH ? 0 : 1;
}
