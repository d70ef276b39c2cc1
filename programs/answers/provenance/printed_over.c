// sprintf and snprintf must not write over the strings that they print; beside them, behind them and by %p they may be.
// cleave: expect paths=6 failed=4
// cleave: code 3
// cleave: replay uncertain
#include <stdio.h>
#include <string.h>
#include <klee/klee.h>

int main(void)
{
	unsigned char op;
	klee_make_symbolic(&op, 1, "op");
	char buf[64] = "0123456789", *volatile p = buf, out[64];
	volatile size_t room = 3;
	switch (op) {
	case 0: return sprintf(p, "%d %s", 7, p + 4); //~ ERROR ptr
	case 1: return snprintf(p, sizeof buf, "%s.%s", "a", p); //~ ERROR ptr
	case 2: return sprintf(p + 4, "%s", p); //~ ERROR ptr
	case 3: return snprintf(p + 1, 8, "%.3s", p); //~ ERROR ptr
	case 4: return snprintf(p, room, "%s", p + 8);
	case 5: return sprintf(p + 20, "%s-%s", p, p + 3);
	case 6: return sprintf(p + 4, "%.3s", p);
	case 7: return snprintf(out, sizeof out, "%s %s", p, p);
	case 8: return sprintf(p, "%d", (int)strlen(p));
	}
	return 0;
}
