/* A test, a .ktest file, natively: read as a whole, then object by object. No stdio, no file left open. GROW is what
 * stands for realloc. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned char *test;
static size_t test_size, position;

/* An object of the test. What the file is too short for is not there. */
struct object {
	const char *name;
	size_t name_length;
	const unsigned char *bytes;
	size_t size;
};

static unsigned word(void)
{
	if (position + 4 > test_size) {
		position = test_size;
		return 0;
	}
	const unsigned char *p = test + position;
	position += 4;
	return (unsigned)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

/* Bytes with their number in front. */
static const unsigned char *counted(size_t *size)
{
	*size = word();
	const unsigned char *there = test + position;
	if (*size > test_size - position)
		*size = test_size - position;
	position += *size;
	return there;
}

/* Reads the file and stands at its first object. Zero if it is no test. */
static int load(const char *path)
{
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return 0;
	for (size_t room = 0;;) {
		if (test_size == room)
			test = GROW(test, room = room ? 2 * room : 4096);
		ssize_t n = test ? read(fd, test + test_size, room - test_size) : 0;
		if (n <= 0)
			break;
		test_size += n;
	}
	close(fd);
	if (test_size < 5 || (memcmp(test, "KTEST", 5) && memcmp(test, "BOUT\n", 5))) {
		test_size = 0;
		return 0;
	}
	position = 5;
	unsigned version = word();
	size_t ignored;
	for (unsigned n = word(); n && position < test_size; n--)
		counted(&ignored);
	if (version >= 2)
		position = test_size - position < 8 ? test_size : position + 8;
	word();
	return 1;
}

/* The next object; zero at the end. */
static int next_object(struct object *object)
{
	if (position >= test_size)
		return 0;
	object->name = (const char *)counted(&object->name_length);
	object->bytes = counted(&object->size);
	return 1;
}
