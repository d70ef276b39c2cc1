/* The intrinsics natively, for the replay of a test: symbolic objects get the bytes that the test has for them.
 * CLEAVE_TEST names the test, a .ktest file; without it all bytes are zero. No stdio, no file left open. */
#include <cleave.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned char *test;
static size_t test_size, position;

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

static void skip(size_t n)
{
	position = n > test_size - position ? test_size : position + n;
}

/* Reads the file and stands at its first object. */
static void load(void)
{
	static int loaded;
	const char *path = getenv("CLEAVE_TEST");
	if (loaded || !path)
		return;
	loaded = 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	for (size_t room = 0;;) {
		if (test_size == room)
			test = realloc(test, room = room ? 2 * room : 4096);
		ssize_t n = test ? read(fd, test + test_size, room - test_size) : 0;
		if (n <= 0)
			break;
		test_size += n;
	}
	close(fd);
	position = 5;
	unsigned version = word();
	for (unsigned n = word(); n && position < test_size; n--)
		skip(word());
	if (version >= 2)
		skip(8);
	word();
}

void klee_make_symbolic(void *address, size_t size, const char *name)
{
	memset(address, 0, size);
	load();
	size_t start = position;
	while (position < test_size) {
		unsigned length = word();
		const unsigned char *text = test + position;
		int same = length == strlen(name) && length <= test_size - position && !memcmp(text, name, length);
		skip(length);
		unsigned bytes = word();
		const unsigned char *from = test + position;
		size_t there = test_size - position < bytes ? test_size - position : bytes;
		skip(bytes);
		if (same) {
			memcpy(address, from, there < size ? there : size);
			return;
		}
	}
	position = start;
}

void klee_assume(uintptr_t condition)
{
	if (!condition)
		_exit(0);
}

_Noreturn void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
	fprintf(stderr, "%s:%d: %s (%s)\n", file, line, message, suffix);
	abort();
}

_Noreturn void klee_silent_exit(int status)
{
	_exit(status);
}

_Noreturn void klee_abort(void)
{
	abort();
}

void klee_prefer_cex(void *object, uintptr_t condition)
{
	(void)object;
	(void)condition;
}

void klee_posix_prefer_cex(void *object, uintptr_t condition)
{
	(void)object;
	(void)condition;
}

#define VALUE(name, type)      \
	type name(type value)  \
	{                      \
		return value;  \
	}

VALUE(klee_get_value_f, float)
VALUE(klee_get_value_d, double)
VALUE(klee_get_value_l, long)
VALUE(klee_get_value_ll, long long)
VALUE(klee_get_value_i32, int32_t)
VALUE(klee_get_value_i64, int64_t)

unsigned klee_is_symbolic(uintptr_t n)
{
	(void)n;
	return 0;
}

size_t klee_get_obj_size(void *address)
{
	(void)address;
	return 1;
}

void klee_print_expr(const char *message, ...)
{
	(void)message;
}

void klee_warning(const char *message)
{
	(void)message;
}

void klee_warning_once(const char *message)
{
	(void)message;
}

void klee_check_memory_access(const void *address, size_t size)
{
	(void)address;
	(void)size;
}

void klee_open_merge(void)
{
}

void klee_close_merge(void)
{
}

void klee_set_forking(unsigned enable)
{
	(void)enable;
}

void klee_mark_global(void *object)
{
	(void)object;
}

void klee_stack_trace(void)
{
}

void klee_print_range(const char *name, int value)
{
	(void)name;
	(void)value;
}

void klee_define_fixed_object(void *address, size_t size)
{
	(void)address;
	(void)size;
	abort();
}

unsigned klee_is_replay(void)
{
	return 1;
}

__attribute__((weak)) void __VERIFIER_error(void)
{
	abort();
}

__attribute__((weak)) void reach_error(void)
{
	abort();
}
