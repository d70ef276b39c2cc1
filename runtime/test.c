/* Reads the test of a native run. No allocation of it is one that the test could let fail. */
#define _GNU_SOURCE
#include "test.h"
#include <stdlib.h>
#include <string.h>

void *__real_realloc(void *old, size_t size);
#define GROW __real_realloc
#include "ktest.h"

/* Where each reader stands; zero is the first object. */
static size_t positions[CLEAVE_READERS];
static char path[4096];

/* CLEAVE_TEST is the test's path. Where another program has executed this one, the positions of its readers stand behind
 * that, a line each. Looked at before anything of the program runs, which may clear its environment, and taken out of that: the
 * model's environment does not have it. */
__attribute__((constructor(101))) static void begin(void)
{
	static int begun;
	const char *value = begun ? 0 : getenv("CLEAVE_TEST");
	begun = 1;
	size_t length = value ? strcspn(value, "\n") : 0;
	if (!length || length >= sizeof path)
		return;
	memcpy(path, value, length);
	for (int i = 0; i < CLEAVE_READERS && value[length] == '\n'; i++) {
		for (length++; value[length] >= '0' && value[length] <= '9'; length++)
			positions[i] = 10 * positions[i] + (value[length] - '0');
	}
	unsetenv("CLEAVE_TEST");
}

/* Where the objects begin. */
static size_t first;

void cleave_load_test(void)
{
	static int loaded;
	begin();
	if (!loaded && path[0]) {
		loaded = 1;
		load(path);
		first = position;
	}
}

const unsigned char *cleave_next_object(enum cleave_reader reader, const char *name, size_t *size)
{
	cleave_load_test();
	position = positions[reader] ? positions[reader] : first;
	struct object found;
	while (next_object(&found))
		if (found.name_length == strlen(name) && !memcmp(found.name, name, found.name_length)) {
			positions[reader] = position;
			*size = found.size;
			return found.bytes;
		}
	return 0;
}

const char *cleave_test_variable(void)
{
	static char variable[sizeof path + 100];
	begin();
	if (!path[0])
		return 0;
	char *end = stpcpy(stpcpy(variable, "CLEAVE_TEST="), path);
	for (int i = 0; i < CLEAVE_READERS; i++) {
		size_t unit = 1;
		while (positions[i] / unit >= 10)
			unit *= 10;
		for (*end++ = '\n'; unit; unit /= 10)
			*end++ = '0' + positions[i] / unit % 10;
	}
	*end = 0;
	return variable;
}
