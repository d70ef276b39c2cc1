/* The functions of the C library before which numbers that wait in a stream (numbers.h) must be text: they look at its buffer, or have
 * its descriptor lead elsewhere. Their own code is compiled under the names __musl_NAME (scripts/build-sysroot.sh). */
#include "numbers.h"
#include <stdio_ext.h>

static void no_stream(FILE *f)
{
}

static void no_descriptor(int fd)
{
}

/* numbers.c overrides these where the program prints. */
weak_alias(no_stream, __settle_stream);
weak_alias(no_descriptor, __settle_descriptor);

int __musl_close(int);
int __musl_dup2(int, int);
int __musl___dup3(int, int, int);
int __musl___stdio_close(FILE *);
int __musl_setvbuf(FILE *restrict, char *restrict, int, size_t);
int __musl___flbf(FILE *);
size_t __musl___fpending(FILE *);
int __musl___fpurge(FILE *);

int close(int fd)
{
	__settle_descriptor(fd);
	return __musl_close(fd);
}

int dup2(int old, int new)
{
	__settle_descriptor(new);
	return __musl_dup2(old, new);
}

int __dup3(int old, int new, int flags)
{
	__settle_descriptor(new);
	return __musl___dup3(old, new, flags);
}

weak_alias(__dup3, dup3);

int __stdio_close(FILE *f)
{
	__settle_descriptor(f->fd);
	return __musl___stdio_close(f);
}

int setvbuf(FILE *restrict f, char *restrict buf, int type, size_t size)
{
	__settle_stream(f);
	int error = __musl_setvbuf(f, buf, type, size);
	/* The program may look at what it gave. */
	if (buf && f->buf_size)
		f->flags |= F_OWN_BUFFER;
	return error;
}

int __flbf(FILE *f)
{
	__settle_stream(f);
	return __musl___flbf(f);
}

size_t __fpending(FILE *f)
{
	__settle_stream(f);
	return __musl___fpending(f);
}

int __fpurge(FILE *f)
{
	__settle_stream(f);
	return __musl___fpurge(f);
}

weak_alias(__fpurge, fpurge);
