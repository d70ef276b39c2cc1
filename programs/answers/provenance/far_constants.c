// Constant offsets that land in the slots of a neighbour: each access is the bug of its own object. An optimiser drops the read that
// it knows to be wrong.
// cleave: (-O0) expect paths=1 failed=6
// cleave: (-O2) expect paths=2 failed=5
// cleave: code 3
#include <stdlib.h>
#include <string.h>
#include <klee/klee.h>

char first[16], second[16], third[16];
struct { char head[8192]; char tail[64]; } record, next;

static char sum(const char *p, int n)
{
	char s = 0;
	for (int i = 0; i < n; i++)
		s += p[i];
	return s;
}

int main(void)
{
	unsigned char op;
	klee_make_symbolic(&op, 1, "op");
	char local[16] = "abc", behind[16] = "def";
	char *heap = malloc(16), *other = malloc(16);
	memset(heap, 1, 16);
	memset(other, 2, 16);
	char *volatile kept = heap;
	volatile long far = 1 << 20;
	switch (op) {
	case 0: return heap[1 << 20]; //~ ERROR (-O0) ptr
	case 1: return second[-(1 << 20)]; //~ ERROR ptr
	case 2: second[far] = 1; break; //~ ERROR ptr
	case 3: return local[far] + behind[0]; //~ ERROR ptr
	case 4: memcpy((void *)kept, first + far, 8); break; //~ ERROR ptr
	case 5: return record.tail[far]; //~ ERROR ptr
	}
	return sum(record.tail, 64) + next.tail[63];
}
