/* libkleeRuntest: a program that was compiled by the host's own compiler runs on a test. KTEST_FILE names the test, a
 * .ktest file; each symbolic object gets the bytes of the test's next one. What does not fit together ends the program,
 * or with KLEE_RUN_TEST_ERRORS_NON_FATAL set it is only told. */
#include <klee/klee.h>
#include <stdarg.h>
#include <stdio.h>
#define GROW realloc
#include "ktest.h"

__attribute__((format(printf, 1, 2))) static void mismatch(const char *format, ...)
{
	va_list values;
	va_start(values, format);
	fflush(stdout);
	fputs("KLEE_RUN_TEST_ERROR: ", stderr);
	vfprintf(stderr, format, values);
	fputc('\n', stderr);
	va_end(values);
	if (!getenv("KLEE_RUN_TEST_ERRORS_NON_FATAL"))
		exit(1);
	fputs("KLEE_RUN_TEST_ERROR: Forcing execution to continue\n", stderr);
}

static void load_once(void)
{
	static int loaded;
	const char *path = getenv("KTEST_FILE");
	if (loaded)
		return;
	loaded = 1;
	if (!path) {
		fputs("KLEE_RUN_TEST_ERROR: KTEST_FILE is not set; it names the .ktest file to run on\n", stderr);
		exit(1);
	}
	if (!load(path)) {
		fprintf(stderr, "KLEE_RUN_TEST_ERROR: %s cannot be read as a .ktest file\n", path);
		exit(1);
	}
}

void klee_make_symbolic(void *address, size_t size, const char *name)
{
	struct object next;
	if (!name)
		name = "unnamed";
	load_once();
	memset(address, 0, size);
	if (!next_object(&next)) {
		mismatch("out of inputs. `%s` is zero if the program goes on.", name);
		return;
	}
	if (next.name_length != strlen(name) || memcmp(next.name, name, next.name_length))
		mismatch("object name mismatch. Requesting \"%s\" but returning \"%.*s\"", name, (int)next.name_length,
		         next.name);
	memcpy(address, next.bytes, next.size < size ? next.size : size);
	if (next.size != size)
		mismatch("object sizes differ. Expected %zu but got %zu", size, next.size);
}

void klee_assume(uintptr_t condition)
{
	if (!condition)
		mismatch("invalid klee_assume");
}

int klee_range(int begin, int end, const char *name)
{
	int value;
	klee_make_symbolic(&value, sizeof value, name);
	if (value < begin || value >= end)
		mismatch("invalid klee_range(%d,%d,%s) value, got: %d", begin, end, name ? name : "unnamed", value);
	return value;
}

uintptr_t klee_choose(uintptr_t n)
{
	uintptr_t value;
	klee_make_symbolic(&value, sizeof value, "klee_choose");
	if (value >= n)
		mismatch("klee_choose failure. max = %zu, got = %zu", (size_t)n, (size_t)value);
	return value;
}

_Noreturn void klee_silent_exit(int status)
{
	exit(status);
}

/* What klee_assert of KLEE's own header calls. */
_Noreturn void klee_assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
	fflush(stdout);
	fprintf(stderr, "%s:%u: %s: the assertion `%s` fails\n", file, line, function, expression);
	abort();
}
