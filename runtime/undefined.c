/* What native executables call where a check of -fsanitize=undefined fails: a line on standard error as clang's own
 * runtime has it, and the program goes on. In the replay of a test it ends there, by the signal that is foretold. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

struct place {
	const char *file;
	unsigned line, column;
};

static void say(const struct place *place, const char *what)
{
	if (place && place->file)
		fprintf(stderr, "%s:%u:%u: ", place->file, place->line, place->column);
	fprintf(stderr, "runtime error: %s\n", what);
}

static void stop(int signal_number)
{
	signal(signal_number, SIG_DFL);
	raise(signal_number);
	abort();
}

static void failed(const struct place *place, const char *what, int signal_number)
{
	say(place, what);
	if (cleave_test_variable())
		stop(signal_number);
}

/* Three names each: to go on, to end, and without data. */
#define HANDLER(name, what, signal_number)                                     \
	void __ubsan_handle_##name(void *data)                                 \
	{                                                                      \
		failed(data, what, signal_number);                             \
	}                                                                      \
	_Noreturn void __ubsan_handle_##name##_abort(void *data)               \
	{                                                                      \
		failed(data, what, signal_number);                             \
		abort();                                                       \
	}                                                                      \
	void __ubsan_handle_##name##_minimal(void)                             \
	{                                                                      \
		failed(0, what, signal_number);                                \
	}                                                                      \
	_Noreturn void __ubsan_handle_##name##_minimal_abort(void)             \
	{                                                                      \
		failed(0, what, signal_number);                                \
		abort();                                                       \
	}

HANDLER(add_overflow, "an addition overflows", SIGABRT)
HANDLER(sub_overflow, "a subtraction overflows", SIGABRT)
HANDLER(mul_overflow, "a multiplication overflows", SIGABRT)
HANDLER(negate_overflow, "a negation overflows", SIGABRT)
HANDLER(shift_out_of_bounds, "a shift by too much, or one that overflows", SIGABRT)
HANDLER(out_of_bounds, "an index outside of the array", SIGABRT)
HANDLER(alignment_assumption, "an address is not aligned as the program says it is", SIGABRT)
HANDLER(pointer_overflow, "arithmetic on a pointer overflows, or begins with null", SIGABRT)
HANDLER(nonnull_arg, "null is passed as an argument that is declared never to be null", SIGABRT)
HANDLER(nullability_arg, "null is passed as an argument that is declared never to be null", SIGABRT)
HANDLER(nonnull_return, "null is returned by a function that is declared never to do so", SIGABRT)
HANDLER(vla_bound_not_positive, "an array of variable length has a length that is not positive", SIGABRT)
HANDLER(load_invalid_value, "a value is read that is none of its type", SIGABRT)
HANDLER(float_cast_overflow, "a conversion from floating point overflows", SIGABRT)
HANDLER(implicit_conversion, "an implicit conversion changes the value", SIGABRT)
HANDLER(invalid_builtin, "a builtin that counts zeros is given 0", SIGABRT)
HANDLER(type_mismatch, "a pointer is null, not aligned, or to too small an object", SIGABRT)

/* What is divided is of a type: its kind, 0 for integers; twice the logarithm of its width and 1 if it has signs; its name. */
struct type {
	unsigned short kind, info;
	char name[];
};

struct division {
	struct place place;
	const struct type *type;
};

/* An integer is given by its value, or above 64 bits by its address. */
static int is_zero(const struct type *type, const void *number)
{
	unsigned bits = 1u << (type->info >> 1 & 31);
	if (bits <= 64)
		return !number;
	const unsigned char *bytes = number;
	for (unsigned i = 0; i < bits / 8; i++)
		if (bytes[i])
			return 0;
	return 1;
}

void __ubsan_handle_divrem_overflow(void *data, void *left, void *right)
{
	const struct division *division = data;
	const struct type *type = division->type;
	(void)left;
	if (type->kind == 0 && type->info & 1 && !is_zero(type, right))
		failed(data, "a division of the least number by -1 overflows", SIGABRT);
	else
		failed(data, "a division by zero", SIGFPE);
}

_Noreturn void __ubsan_handle_divrem_overflow_abort(void *data, void *left, void *right)
{
	__ubsan_handle_divrem_overflow(data, left, right);
	abort();
}

void __ubsan_handle_divrem_overflow_minimal(void)
{
	failed(0, "a division by zero, or one that overflows", SIGFPE);
}

_Noreturn void __ubsan_handle_divrem_overflow_minimal_abort(void)
{
	failed(0, "a division by zero, or one that overflows", SIGFPE);
	abort();
}

#define NO_WAY_BACK(name, what)                                                \
	_Noreturn void __ubsan_handle_##name(void *data)                       \
	{                                                                      \
		say(data, what);                                               \
		abort();                                                       \
	}                                                                      \
	_Noreturn void __ubsan_handle_##name##_minimal_abort(void)             \
	{                                                                      \
		say(0, what);                                                  \
		abort();                                                       \
	}

NO_WAY_BACK(builtin_unreachable, "code that was said to be unreachable is reached")
NO_WAY_BACK(missing_return, "a function that returns a value ends without one")

static const char *mismatch(void *pointer)
{
	return pointer ? "a pointer that is not aligned, or to too small an object" : "a null pointer";
}

void __ubsan_handle_type_mismatch_v1(void *data, void *pointer)
{
	failed(data, mismatch(pointer), pointer ? SIGABRT : SIGSEGV);
}

_Noreturn void __ubsan_handle_type_mismatch_v1_abort(void *data, void *pointer)
{
	failed(data, mismatch(pointer), pointer ? SIGABRT : SIGSEGV);
	abort();
}

/* The place of a return stands apart from the data. */
#define RESULT(name)                                                                                     \
	void __ubsan_handle_##name(void *data, void *place)                                              \
	{                                                                                                \
		(void)data;                                                                              \
		failed(place, "null is returned by a function that is declared never to do so", SIGABRT); \
	}                                                                                                \
	_Noreturn void __ubsan_handle_##name##_abort(void *data, void *place)                            \
	{                                                                                                \
		__ubsan_handle_##name(data, place);                                                      \
		abort();                                                                                 \
	}

RESULT(nonnull_return_v1)
RESULT(nullability_return_v1)
