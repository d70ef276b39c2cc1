// A section is one object, from which a walk must not go, and an access that names one of its variables stays in that. Its
// variables are written to by their names and by the walk alike.
// cleave: expect paths=5 failed=5 unsupported=0
// cleave: code 3
// cleave: says at offset 4 of the global `first` of 4 bytes
// cleave: says of the section `counters` of 16 bytes
// cleave: says a write to the section of constants `settings`
// cleave: replay uncertain
#include <klee/klee.h>

#define COUNTER __attribute__((section("counters"), used))
static int first COUNTER = 1;
static int pair[2] COUNTER = { 2, 3 };
static int last COUNTER;
extern int __start_counters[], __stop_counters[];
extern int __start_absent[] __attribute__((weak)), __stop_absent[] __attribute__((weak));
static const int fixed __attribute__((section("settings"), used)) = 4;
extern int __start_settings[];

int main(void)
{
	unsigned char way, i;
	volatile int n = 2;
	klee_make_symbolic(&way, 1, "way");
	klee_make_symbolic(&i, 1, "i");
	switch (way) {
	case 0: {
		int *p = __start_counters, sum = 0;
		last = 10;
		p[0] += 100;
		while (p < __stop_counters)
			sum = sum * 2 + *p++;
		return sum == ((101 * 2 + 2) * 2 + 3) * 2 + 10 && first == 101 ? 0 : 1;
	}
	case 1:
		return *(&first + n - 1); //~ ERROR ptr
	case 2:
		klee_assume(i <= 2);
		return pair[i]; //~ ERROR ptr
	case 3:
		klee_assume(i < 4);
		return __start_counters[i] == 3;
	case 4:
		return __start_counters[i]; //~ ERROR ptr
	case 5:
		return *__stop_counters; //~ ERROR ptr
	case 6:
		__start_settings[0] = 5; //~ ERROR read_only
		return fixed;
	}
	return __stop_absent - __start_absent;
}
