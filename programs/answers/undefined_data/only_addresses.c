// The address of what nobody defines is one, of no object that the program has: only an access is not modelled.
// cleave: flags -Wl,--unresolved-symbols=ignore-all
// cleave: expect paths=1 failed=0 unsupported=0
// cleave: code 0
// cleave: link says no bitcode defines
// cleave: replay no
#include <assert.h>
#include <stdio.h>

extern int missing, table[4];
extern char unknown[];
int tentative;
int tentative;
static int mine;
static void *const addresses[] = { &missing, table, unknown, &tentative, &mine };

static void *volatile kept;

int main(void)
{
	for (unsigned a = 0; a < 5; a++)
		for (unsigned b = 0; b < a; b++) {
			kept = addresses[a];
			assert(kept != addresses[b]);
		}
	kept = &table[2];
	assert((int *)kept - table == 2);
	assert(kept);
	char text[32];
	snprintf(text, sizeof text, "%p", kept);
	return tentative + mine;
}
