/* The intrinsics that need no test, natively: values are what they are, hints do nothing. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

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
	(void)address;
	(void)size;
	abort();
}

unsigned klee_is_replay(void)
{
	return 1;
}
