// Scopes of variables of other types than int, which become registers too: pointers, floating-point numbers, enumerations, and what a
// function that is always inlined leaves behind.
// cleave: levels -O0
// cleave: expect paths=1 failed=6 unsupported=0
// cleave: code 3
// cleave: replay no
#include <klee/klee.h>
#include <stdbool.h>

static volatile int sink;

__attribute__((always_inline)) static inline int *inlined(int n)
{
	int own = n;
	int *p = &own;
	return p;
}

int main(void)
{
	unsigned char way;
	klee_make_symbolic(&way, 1, "way");
	switch (way) {
	case 0: {
		int known = 1, **pp;
		{
			int *p = &known;
			pp = &p;
		}
		sink = **pp; //~ ERROR ptr
		break;
	}
	case 1: {
		double *p;
		{
			double x = 1.5;
			p = &x;
		}
		sink = *p > 1; //~ ERROR ptr
		break;
	}
	case 2: {
		enum { ONE, TWO } *p;
		{
			__typeof__(*p) x = TWO;
			p = &x;
		}
		sink = *p; //~ ERROR ptr
		break;
	}
	case 3: {
		bool *p;
		{
			bool x = true;
			p = &x;
		}
		sink = *p; //~ ERROR ptr
		break;
	}
	case 4: {
		__int128 *p;
		{
			__int128 x = 1;
			p = &x;
		}
		sink = (int)*p; //~ ERROR ptr
		break;
	}
	case 5:
		sink = *inlined(3); //~ ERROR ptr
		break;
	}
	return 0;
}
