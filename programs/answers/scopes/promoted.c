// A variable whose address a local pointer holds alone could become a register together with the pointer. Its scope ends all the same.
// cleave: expect paths=4 failed=6 unsupported=0
// cleave: levels -O0
// cleave: code 3
// cleave: says whose scope ended in `main` (
// cleave: replay no
#include <klee/klee.h>

int main(void)
{
	unsigned char way, n;
	klee_make_symbolic(&way, 1, "way");
	klee_make_symbolic(&n, 1, "n");
	int *q = 0, sum = 0;
	switch (way) {
	case 0: {
		{
			int x = 3;
			q = &x;
		}
		return *q; //~ ERROR ptr
	}
	case 1: {
		{
			int x = 3;
			q = &x;
		}
		*q = 4; //~ ERROR ptr
		return 0;
	}
	case 2: // written and not read again
		for (int i = 0; i < 2; i++) {
			long x = i;
			long *p = &x;
			*p += 1;
			sum += x;
		}
		return sum == 3 ? 0 : 1;
	case 3: // the last turn's variable, behind the loop
		for (int i = 0; i < 3; i++) {
			int x = i;
			q = &x;
			sum += *q;
		}
		return sum + *q; //~ ERROR ptr
	case 4: // the turn before
		for (int i = 0; i < 2; i++) {
			if (i == 1)
				sum = *q; //~ ERROR ptr
			int x = i;
			q = &x;
		}
		return sum;
	case 5: { // a pointer to the pointer
		int **r = &q;
		{
			int x = 7;
			*r = &x;
		}
		return **r; //~ ERROR ptr
	}
	case 6: { // all within
		int x = 5;
		int **r = &q;
		*r = &x;
		**r += 2;
		return x + *q == 14 ? 0 : 1;
	}
	case 7: { // on one way alone
		int y = 1;
		q = &y;
		if (n == 3) {
			int x = 2;
			q = &x;
			sum = *q;
		}
		return *q; //~ ERROR ptr
	}
	}
	return 0;
}
