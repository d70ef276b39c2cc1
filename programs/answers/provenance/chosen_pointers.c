// A pointer chosen from a table or by a condition belongs to the object that it was chosen from: one bug, whatever lies elsewhere.
// cleave: levels -O0
// cleave: expect paths=5 failed=3
// cleave: code 3
#include <stdlib.h>
#include <klee/klee.h>

static char one[4] = "one", two[4] = "two", six[4] = "six", other[64];
static char *const names[3] = { one, two, six };

int main(void)
{
	unsigned char which, i;
	unsigned j;
	klee_make_symbolic(&which, 1, "which");
	klee_make_symbolic(&i, 1, "i");
	klee_make_symbolic(&j, sizeof j, "j");
	other[0] = 'x';
	if (which < 3)
		return names[which][j] == 'x'; //~ ERROR ptr
	char *p = which & 1 ? one + j : six + j;
	return *p == 'x'; //~ ERROR ptr
}
