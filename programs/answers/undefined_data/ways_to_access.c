// Each access ends its path by the variable's name: a read, a write, a copy, a system call that reads or writes it, an index
// of the input, a pointer of a table, the C library on behalf of the program. What does not access it goes on.
// cleave: flags -Wl,--unresolved-symbols=ignore-all
// cleave: expect paths=1 failed=0 unsupported=10
// cleave: args --sym-stdin 4
// cleave: code 5
// cleave: link says no bitcode defines
// cleave: says an access to the variable `number`, which is defined nowhere
// cleave: says an access to the variable `text`, which is defined nowhere
// cleave: says an access to the variable `record`, which is defined nowhere
// cleave: replay no
#include <klee/klee.h>
#include <string.h>
#include <unistd.h>

struct record {
	int first, second[3];
};
extern int number;
extern char text[];
extern struct record record;
extern char large[3 << 20];
static int known = 1;
static int *const pointers[3] = { &known, &record.second[1], &known };

int main(void)
{
	unsigned char way, i;
	struct record copy;
	char line[8] = "";
	klee_make_symbolic(&way, 1, "way");
	klee_make_symbolic(&i, 1, "i");
	klee_assume(i < 3);
	switch (way) {
	case 0:
		return number; //~ ERROR model
	case 1:
		number = 1; //~ ERROR model
		return 0;
	case 2:
		copy = record; //~ ERROR model
		return copy.first;
	case 3:
		return write(1, text, 4) != 4; //~ ERROR model
	case 4:
		return read(0, text, 4) != 0; //~ ERROR model
	case 5:
		return record.second[i]; //~ ERROR model
	case 6:
		klee_assume(i == 1);
		return *pointers[i]; //~ ERROR model
	case 7:
		return strlen(text) > 3; //~ ERROR model
	case 8:
		memcpy(line, text, 4); //~ ERROR model
		return line[0];
	case 9:
		return large[2 << 20]; //~ ERROR model
	}
	return 0;
}
