// A write beyond a structure on the stack that ends in a flexible array, whose result nobody reads.
#include <klee/klee.h>

struct row {
	int length;
	int values[];
};

int main(void)
{
	unsigned char k;
	struct row row;
	klee_make_symbolic(&k, sizeof k, "k");
	row.length = 0;
	if (k == 2)
		row.values[10] = 7; //~ ERROR ptr (-O0)
	return 0;
}
