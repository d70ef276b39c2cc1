/* Between a program for 32 bits and the engine's kernel, which is one for 64: as Linux itself has it for such programs. A call
 * whose structures differ and that is not in this list has a number of no call, so that a path ends there. Natively the same
 * stands in front of the machine's kernel, whose calls of x86-64 are reached by gate.s. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

long long cleave_syscall(long long, long long, long long, long long, long long, long long, long long);

/* Added to the number of a call that is not to be had. */
enum { REFUSED = 100000 };
/* Pieces of one call of writev or readv: the C library's own have two. */
enum { PIECES = 16 };

struct wide_piece {
	uint64_t base, length;
};

#ifdef CLEAVE_NATIVELY
/* For the calls of x86-64 there are addresses above 4 GiB too. */
enum { BELOW = 0x40 };

static long long mapping(long long at, long long size, long long protection, long long flags, long long fd, long long offset)
{
	return cleave_syscall(SYS_mmap, at, size, protection, flags | BELOW, fd, offset);
}

/* A mapping that is to move gets a place first. */
static long long remapping(long long at, long long size, long long wanted, long long flags, long long to)
{
	enum { MAYMOVE = 1, FIXED = 2 };
	long long got = cleave_syscall(SYS_mremap, at, size, wanted, flags & FIXED ? flags : flags & ~MAYMOVE, to, 0);
	if (got != -ENOMEM || (flags & (MAYMOVE | FIXED)) != MAYMOVE)
		return got;
	to = mapping(0, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return to < 0 ? to : cleave_syscall(SYS_mremap, at, size, wanted, flags | FIXED, to, 0);
}
#else
#define mapping(...) cleave_syscall(SYS_mmap, __VA_ARGS__)
#define remapping(...) cleave_syscall(SYS_mremap, __VA_ARGS__, 0)
#endif

static long pieces(long long n, long long fd, const struct iovec *from, long long count)
{
	struct wide_piece wide[PIECES];
	if (count < 0 || count > PIECES)
		return cleave_syscall(n + REFUSED, 0, 0, 0, 0, 0, 0);
	for (int i = 0; i < count; i++)
		wide[i] = (struct wide_piece){(uintptr_t)from[i].iov_base, from[i].iov_len};
	return cleave_syscall(n, fd, (uintptr_t)wide, count, 0, 0, 0);
}

/* A signal's action: only the default and to ignore it, as a handler gets structures of the kernel. */
struct wide_action {
	uint64_t handler, flags, restorer, mask;
};
struct own_action {
	uint32_t handler, flags, restorer, mask[2];
};

static long action(long long signal, const struct own_action *new, struct own_action *old, long long size)
{
	struct wide_action to = {0}, from = {0};
	if (new) {
		if (new->handler > 1)
			return cleave_syscall(SYS_rt_sigaction + REFUSED, 0, 0, 0, 0, 0, 0);
		to = (struct wide_action){new->handler, new->flags, new->restorer, new->mask[0] | (uint64_t)new->mask[1] << 32};
	}
	long result = cleave_syscall(SYS_rt_sigaction, signal, new ? (uintptr_t)&to : 0, old ? (uintptr_t)&from : 0, size, 0, 0);
	if (!result && old)
		*old = (struct own_action){from.handler, from.flags, from.restorer, {from.mask, from.mask >> 32}};
	return result;
}

long cleave_compat(long long n, long long a, long long b, long long c, long long d, long long e, long long f)
{
	switch (n) {
	case SYS_readv: case SYS_writev:
		return pieces(n, a, (const struct iovec *)(uintptr_t)b, c);
	case SYS_rt_sigaction:
		return action(a, (const struct own_action *)(uintptr_t)b, (struct own_action *)(uintptr_t)c, d);
	case SYS_mmap:
		return mapping(a, b, c, d, e, f);
	case SYS_mremap:
		return remapping(a, b, c, d, e);
	/* Numbers, bytes, and structures that are the same in both. */
	case SYS_read: case SYS_write: case SYS_open: case SYS_close: case SYS_stat: case SYS_fstat: case SYS_lstat:
	case SYS_poll: case SYS_lseek: case SYS_mprotect: case SYS_munmap: case SYS_brk:
	case SYS_rt_sigprocmask: case SYS_ioctl: case SYS_pread64: case SYS_pwrite64: case SYS_access: case SYS_pipe:
	case SYS_sched_yield: case SYS_madvise: case SYS_dup: case SYS_dup2: case SYS_pause: case SYS_alarm:
	case SYS_getpid: case SYS_fork: case SYS_vfork: case SYS_exit: case SYS_kill: case SYS_uname: case SYS_fcntl:
	case SYS_fsync: case SYS_fdatasync: case SYS_truncate: case SYS_ftruncate: case SYS_getcwd: case SYS_chdir:
	case SYS_fchdir: case SYS_rename: case SYS_mkdir: case SYS_rmdir: case SYS_creat: case SYS_link: case SYS_unlink:
	case SYS_symlink: case SYS_readlink: case SYS_chmod: case SYS_fchmod: case SYS_chown: case SYS_fchown:
	case SYS_lchown: case SYS_umask: case SYS_getuid: case SYS_getgid: case SYS_geteuid: case SYS_getegid:
	case SYS_setuid: case SYS_setgid: case SYS_getppid: case SYS_getpgrp: case SYS_setsid: case SYS_gettid:
	case SYS_tkill: case SYS_futex: case SYS_getdents64: case SYS_set_tid_address: case SYS_clock_gettime:
	case SYS_exit_group: case SYS_tgkill: case SYS_openat: case SYS_mkdirat: case SYS_newfstatat: case SYS_unlinkat:
	case SYS_renameat: case SYS_linkat: case SYS_symlinkat: case SYS_readlinkat: case SYS_fchmodat: case SYS_fchownat:
	case SYS_faccessat: case SYS_utimensat: case SYS_dup3: case SYS_pipe2: case SYS_prlimit64: case SYS_getrandom:
	case SYS_clock_nanosleep: case SYS_faccessat2: case SYS_pselect6: case SYS_ppoll:
		return cleave_syscall(n, a, b, c, d, e, f);
	default:
		return cleave_syscall(n + REFUSED, a, b, c, d, e, f);
	}
}

/* A program names calls by the numbers of its own machine. */
long syscall(long n, ...)
{
	return cleave_syscall(n + 2 * REFUSED, 0, 0, 0, 0, 0, 0);
}
