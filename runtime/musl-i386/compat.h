/* Between a program for 32 bits and the engine's kernel, which is one for 64, as Linux itself has it for such programs. Natively the
 * same stands in front of the machine's kernel, whose calls of x86-64 are reached by gate.s. */
#ifndef CLEAVE_COMPAT_H
#define CLEAVE_COMPAT_H

#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* Added to the number of a call that is not to be had. */
enum { REFUSED = 100000 };
/* Pieces of one call of writev or readv: the C library's own have two. */
enum { PIECES = 16 };

/* A call of the kernel for 64 bits. */
long long cleave_syscall(long long, long long, long long, long long, long long, long long, long long);

/* The end of a path: a call that is not to be had. */
static inline long refused(long long n)
{
	return cleave_syscall(n + REFUSED, 0, 0, 0, 0, 0, 0);
}

/* An address of the program, as an argument of a call and in a structure. */
#define AT(x) ((uint64_t)(uintptr_t)(x))

struct wide_piece {
	uint64_t base, length;
};

static inline void widen_pieces(struct wide_piece *wide, const struct iovec *from, long long count)
{
	for (int i = 0; i < count; i++)
		wide[i] = (struct wide_piece){AT(from[i].iov_base), from[i].iov_len};
}

/* signals.c */
long compat_action(long long signal, const void *new, void *old, long long size);
long compat_stack(const void *new, void *old);
long compat_timer(long long clock, const void *event, void *timer);
long compat_queued(long long n, long long to, long long thread, long long signal, const void *info);
long compat_waited(long long n, long long a, long long b, void *info, long long d, long long e);

/* messages.c */
long compat_send(long long fd, const void *message, long long flags);
long compat_receive(long long fd, void *message, long long flags);

#endif
