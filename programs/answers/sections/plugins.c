// A registry of commands, as plug-ins and kernels have them: structures and pointers to structures, put into sections by a macro,
// found by a name of the input.
// cleave: expect paths=3 failed=1 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

struct command {
	const char *name;
	int (*run)(int);
	long weight;
};
#define COMMAND(word, weight)                                                                   \
	static int word(int);                                                                   \
	static const struct command command_##word                                              \
		__attribute__((section("commands"), used, aligned(8))) = { #word, word, weight }; \
	static const struct command *const pointer_##word                                       \
		__attribute__((section("pointers"), used)) = &command_##word;                   \
	static int word(int n)

COMMAND(add, 1)
{
	return n + 1;
}
COMMAND(dec, 20)
{
	return n - 1;
}
COMMAND(out, 300)
{
	int room[4] = { 0 };
	return room[n]; //~ ERROR ptr
}

extern const struct command __start_commands[], __stop_commands[];
extern const struct command *const __start_pointers[], *const __stop_pointers[];

int main(void)
{
	char word[4];
	klee_make_symbolic(word, sizeof word, "word");
	klee_assume(word[3] == 0);
	long sum = 0;
	int places = 0;
	for (const struct command *const *p = __start_pointers; p < __stop_pointers; p++)
		sum += (*p)->weight * (1 + *p - __start_commands);
	if (__stop_commands - __start_commands != 3 || sum != 1 + 2 * 20 + 3 * 300)
		return 9;
	for (const struct command *c = __start_commands; c < __stop_commands; c++) {
		unsigned different = 0;
		for (int i = 0; i < 3; i++)
			different |= c->name[i] ^ word[i];
		if (!different) {
			printf("%s %d\n", c->name, c->run(4));
			return places;
		}
		places++;
	}
	return 7;
}
