/* Reads the test of a native run. No stdio, no file left open, and no allocation that the test could let fail. */
#include "test.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__real_realloc(void *old, size_t size);

static unsigned char *test;
static size_t test_size, first;

static unsigned word(size_t *position)
{
	if (*position + 4 > test_size) {
		*position = test_size;
		return 0;
	}
	const unsigned char *p = test + *position;
	*position += 4;
	return (unsigned)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

static void skip(size_t *position, size_t n)
{
	*position = n > test_size - *position ? test_size : *position + n;
}

/* Reads the file and finds its first object. */
static void load(void)
{
	static int loaded;
	const char *path = loaded ? 0 : getenv("CLEAVE_TEST");
	if (!path)
		return;
	loaded = 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	for (size_t room = 0;;) {
		if (test_size == room)
			test = __real_realloc(test, room = room ? 2 * room : 4096);
		ssize_t n = test ? read(fd, test + test_size, room - test_size) : 0;
		if (n <= 0)
			break;
		test_size += n;
	}
	close(fd);
	size_t position = 5;
	unsigned version = word(&position);
	for (unsigned n = word(&position); n && position < test_size; n--)
		skip(&position, word(&position));
	if (version >= 2)
		skip(&position, 8);
	word(&position);
	first = position;
}

const unsigned char *cleave_next_object(struct cleave_reader *reader, const char *name, size_t *size)
{
	load();
	size_t position = reader->position ? reader->position : first;
	while (position < test_size) {
		unsigned length = word(&position);
		const unsigned char *text = test + position;
		int same = length == strlen(name) && length <= test_size - position && !memcmp(text, name, length);
		skip(&position, length);
		unsigned bytes = word(&position);
		const unsigned char *from = test + position;
		size_t there = test_size - position < bytes ? test_size - position : bytes;
		skip(&position, bytes);
		if (same) {
			reader->position = position;
			*size = there;
			return from;
		}
	}
	return 0;
}
