/* execve natively. Two things are ours. The program goes on in the test where this one stands. And where the replay has no
 * file system for the program, its answer to the call is an error number that no kernel has, and the executable is a
 * descriptor; the same arguments are given to that. See crates/replay/src/answers/calls.rs. */
#define _GNU_SOURCE
#include "test.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* GIVEN is the descriptor; HERE tells the replay that the call comes from this file. */
enum { EXECUTE_GIVEN = 4000, GIVEN = 20 };
static const long HERE = 0x636c6576;

#ifdef __i386__
/* The calls of x86-64, behind runtime/musl-i386/compat.c. */
enum { EXECVE = 59, EXECVEAT = 322 };
long cleave_compat(long long, long long, long long, long long, long long, long long, long long);
#define CALL(n, ...) ((void)(errno = -cleave_compat(n, __VA_ARGS__)))
#define AT(x) ((long long)(unsigned long)(x))
#else
enum { EXECVE = SYS_execve, EXECVEAT = SYS_execveat };
#define CALL(n, ...) ((void)syscall(n, __VA_ARGS__))
#define AT(x) ((long)(x))
#endif

/* Without a path it is the descriptor that is executed. */
static int execute(int fd, const char *path, char *const arguments[], char *const variables[])
{
	size_t count = 0;
	while (variables && variables[count])
		count++;
	const char *all[count + 2];
	const char *test = cleave_test_variable();
	if (test) {
		size_t kept = 0;
		for (size_t i = 0; i < count; i++)
			if (strncmp(variables[i], "CLEAVE_TEST=", 12))
				all[kept++] = variables[i];
		all[kept++] = test;
		all[kept] = 0;
		variables = (char *const *)all;
	}
	if (path)
		CALL(EXECVE, AT(path), AT(arguments), AT(variables), 0L, 0L, HERE);
	else
		CALL(EXECVEAT, (long)fd, AT(""), AT(arguments), AT(variables), (long)AT_EMPTY_PATH, HERE);
	if (errno == EXECUTE_GIVEN)
		CALL(EXECVEAT, (long)GIVEN, AT(""), AT(arguments), AT(variables), (long)AT_EMPTY_PATH, 0L);
	return -1;
}

int __wrap_execve(const char *path, char *const arguments[], char *const variables[])
{
	return execute(-1, path, arguments, variables);
}

int __wrap_fexecve(int fd, char *const arguments[], char *const variables[])
{
	return execute(fd, 0, arguments, variables);
}
