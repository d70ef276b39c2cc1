/* Reads the test of a native run. No allocation of it is one that the test could let fail. */
#include "test.h"
#include <stdlib.h>

void *__real_realloc(void *old, size_t size);
#define GROW __real_realloc
#include "ktest.h"

const unsigned char *cleave_next_object(struct cleave_reader *reader, const char *name, size_t *size)
{
	static int loaded;
	static size_t first;
	const char *path = loaded ? 0 : getenv("CLEAVE_TEST");
	if (path) {
		loaded = 1;
		load(path);
		first = position;
	}
	position = reader->position ? reader->position : first;
	struct object found;
	while (next_object(&found))
		if (found.name_length == strlen(name) && !memcmp(found.name, name, found.name_length)) {
			reader->position = position;
			*size = found.size;
			return found.bytes;
		}
	return 0;
}
