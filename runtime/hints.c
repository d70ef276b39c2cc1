/* The intrinsics that need no test, natively: values are what they are, hints do nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

_Noreturn void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
	fprintf(stderr, "%s:%d: %s (%s)\n", file, line, message, suffix);
	abort();
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
	size_t page = 4096, end = (size_t)address + size;
	for (size_t at = (size_t)address / page * page; at < end; at += page) {
		int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
		void *got = mmap((void *)at, page, PROT_READ | PROT_WRITE, flags, -1, 0);
		if (got == MAP_FAILED && errno != EEXIST) {
			fprintf(stderr, "klee_define_fixed_object: the system gives no memory at %#zx\n", at);
			abort();
		}
	}
}

unsigned klee_is_replay(void)
{
	return 1;
}
