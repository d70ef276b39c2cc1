/* The calls of a program for 32 bits (compat.h). One whose structures differ and that is not in this list has a number of no call,
 * so that a path ends there. */
#include "compat.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/times.h>

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

/* The halves of an offset follow in `low` and `high` where the call has one. */
static long pieces(long long n, long long fd, const struct iovec *from, long long count, long long low, long long high)
{
	struct wide_piece wide[PIECES];
	if (count < 0 || count > PIECES)
		return refused(n);
	widen_pieces(wide, from, count);
	return cleave_syscall(n, fd, AT(wide), count, (uint32_t)low | high << 32, 0, 0);
}

struct wide_statfs {
	uint64_t type, block_size, blocks, free, available, files, free_files;
	fsid_t id;
	uint64_t name_length, fragment, flags, spare[4];
};

/* `of` is a path or a descriptor. */
static long file_system(long long n, long long of, struct statfs *to)
{
	struct wide_statfs from;
	long result = cleave_syscall(n, of, AT(&from), 0, 0, 0, 0);
	if (!result)
		*to = (struct statfs){
			.f_type = from.type, .f_bsize = from.block_size, .f_blocks = from.blocks, .f_bfree = from.free,
			.f_bavail = from.available, .f_files = from.files, .f_ffree = from.free_files, .f_fsid = from.id,
			.f_namelen = from.name_length, .f_frsize = from.fragment, .f_flags = from.flags};
	return result;
}

struct wide_sysinfo {
	uint64_t uptime, loads[3], memory[6];
	uint16_t processes, pads[3];
	uint64_t high[2];
	uint32_t unit, end;
};

/* Sizes of memory that do not fit are counted in larger units. */
static long system_information(struct sysinfo *to)
{
	struct wide_sysinfo from;
	long result = cleave_syscall(SYS_sysinfo, AT(&from), 0, 0, 0, 0, 0);
	if (result)
		return result;
	int shift = 0;
	for (int i = 0; i < 6; i++)
		while (from.memory[i] >> shift > UINT32_MAX)
			shift++;
	*to = (struct sysinfo){.uptime = from.uptime, .procs = from.processes, .mem_unit = from.unit << shift};
	for (int i = 0; i < 3; i++)
		to->loads[i] = from.loads[i];
	unsigned long *memory[6] = {&to->totalram, &to->freeram, &to->sharedram, &to->bufferram, &to->totalswap, &to->freeswap};
	for (int i = 0; i < 6; i++)
		*memory[i] = from.memory[i] >> shift;
	return 0;
}

/* Times of a process in ticks. */
static long ticks(struct tms *to)
{
	int64_t from[4];
	long result = cleave_syscall(SYS_times, to ? AT(from) : 0, 0, 0, 0, 0, 0);
	if (to)
		*to = (struct tms){from[0], from[1], from[2], from[3]};
	return result;
}

/* Interval timers: seconds and microseconds of the interval, and of the rest. */
static long interval(long long n, long long which, const int32_t *new, int32_t *old)
{
	int64_t to[4] = {0}, from[4];
	for (int i = 0; new && i < 4; i++)
		to[i] = new[i];
	long result = n == SYS_getitimer ? cleave_syscall(n, which, AT(from), 0, 0, 0, 0)
		: cleave_syscall(n, which, new ? AT(to) : 0, old ? AT(from) : 0, 0, 0, 0);
	for (int i = 0; !result && old && i < 4; i++)
		old[i] = from[i];
	return result;
}

static long words(const uint32_t *from)
{
	long count = 0;
	while (from && from[count])
		count++;
	return count;
}

/* `before` stands in front of the path: execveat's folder. `here` is for the replay (runtime/execute.c). */
static long execution(long long n, long long before, long long path, const uint32_t *arguments, const uint32_t *variables, long long flags,
	long long here)
{
	long count = words(arguments), others = words(variables);
	uint64_t wide[count + others + 2];
	for (long i = 0; i < count; i++)
		wide[i] = arguments[i];
	for (long i = 0; i < others; i++)
		wide[count + 1 + i] = variables[i];
	wide[count] = wide[count + 1 + others] = 0;
	uint64_t at = AT(wide), of_variables = variables ? AT(wide + count + 1) : 0;
	return n == SYS_execve ? cleave_syscall(n, path, at, of_variables, 0, 0, here)
		: cleave_syscall(n, before, path, at, of_variables, flags, here);
}

/* Limits of the time that a socket waits have names of their own for times of 64 bits, which are those of the kernel for 64 bits. */
static long long option(long long name)
{
	enum { RECEIVES = 66, SENDS = 67 };
	return name == RECEIVES ? 20 : name == SENDS ? 21 : name;
}

long cleave_compat(long long n, long long a, long long b, long long c, long long d, long long e, long long f)
{
#define P(x) ((void *)(uintptr_t)(x))
	switch (n) {
	case SYS_readv: case SYS_writev:
		return pieces(n, a, P(b), c, 0, 0);
	case SYS_preadv: case SYS_pwritev:
		return pieces(n, a, P(b), c, d, e);
	case SYS_mmap:
		return mapping(a, b, c, d, e, f);
	case SYS_mremap:
		return remapping(a, b, c, d, e);
	case SYS_rt_sigaction:
		return compat_action(a, P(b), P(c), d);
	case SYS_sigaltstack:
		return compat_stack(P(a), P(b));
	case SYS_timer_create:
		return compat_timer(a, P(b), P(c));
	case SYS_rt_sigqueueinfo:
		return compat_queued(n, a, 0, b, P(c));
	case SYS_rt_tgsigqueueinfo:
		return compat_queued(n, a, b, c, P(d));
	case SYS_waitid:
		return compat_waited(n, a, b, P(c), d, e);
	case SYS_rt_sigtimedwait:
		return compat_waited(n, a, 0, P(b), c, d);
	case SYS_sendmsg:
		return compat_send(a, P(b), c);
	case SYS_recvmsg:
		return compat_receive(a, P(b), c);
	case SYS_setsockopt: case SYS_getsockopt:
		return cleave_syscall(n, a, b, b == 1 ? option(c) : c, AT(P(d)), (uint32_t)e, 0);
	/* The C library passes pointers as signed numbers here. */
	case SYS_socket: case SYS_connect: case SYS_accept: case SYS_accept4: case SYS_sendto: case SYS_recvfrom: case SYS_shutdown:
	case SYS_bind: case SYS_listen: case SYS_getsockname: case SYS_getpeername: case SYS_socketpair:
		return cleave_syscall(n, (uint32_t)a, (uint32_t)b, (uint32_t)c, (uint32_t)d, (uint32_t)e, (uint32_t)f);
	case SYS_statfs: case SYS_fstatfs:
		return file_system(n, a, P(b));
	case SYS_sysinfo:
		return system_information(P(a));
	case SYS_times:
		return ticks(P(a));
	case SYS_getitimer:
		return interval(n, a, 0, P(b));
	case SYS_setitimer:
		return interval(n, a, P(b), P(c));
	case SYS_execve:
		return execution(n, 0, AT(P(a)), P(b), P(c), 0, f);
	case SYS_execveat:
		return execution(n, a, AT(P(b)), P(c), P(d), e, f);
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
	case SYS_renameat: case SYS_renameat2: case SYS_linkat: case SYS_symlinkat: case SYS_readlinkat: case SYS_fchmodat: case SYS_fchownat:
	case SYS_faccessat: case SYS_utimensat: case SYS_dup3: case SYS_pipe2: case SYS_prlimit64: case SYS_getrandom:
	case SYS_clock_nanosleep: case SYS_faccessat2: case SYS_pselect6: case SYS_ppoll:
	case SYS_epoll_create1: case SYS_epoll_ctl: case SYS_epoll_wait: case SYS_epoll_pwait: case SYS_eventfd2: case SYS_signalfd4:
	case SYS_inotify_init1: case SYS_inotify_add_watch: case SYS_inotify_rm_watch:
	case SYS_timerfd_create: case SYS_timerfd_settime: case SYS_timerfd_gettime:
	case SYS_timer_settime: case SYS_timer_gettime: case SYS_timer_getoverrun: case SYS_timer_delete:
	case SYS_clock_getres: case SYS_clock_settime: case SYS_wait4: case SYS_getrusage: case SYS_flock: case SYS_fallocate:
	case SYS_fadvise64: case SYS_readahead: case SYS_sync: case SYS_syncfs: case SYS_statx: case SYS_sendfile: case SYS_splice:
	case SYS_copy_file_range: case SYS_mknod: case SYS_mknodat: case SYS_memfd_create: case SYS_chroot: case SYS_mount: case SYS_umount2:
	case SYS_setpgid: case SYS_getpgid: case SYS_getsid: case SYS_setreuid: case SYS_setregid: case SYS_getgroups: case SYS_setgroups:
	case SYS_setresuid: case SYS_getresuid: case SYS_setresgid: case SYS_getresgid: case SYS_setfsuid: case SYS_setfsgid:
	case SYS_rt_sigpending: case SYS_rt_sigsuspend: case SYS_getpriority: case SYS_setpriority: case SYS_sched_getaffinity:
	case SYS_sched_setaffinity: case SYS_sched_get_priority_max: case SYS_sched_get_priority_min: case SYS_sched_getscheduler:
	case SYS_getxattr: case SYS_lgetxattr: case SYS_fgetxattr: case SYS_setxattr: case SYS_lsetxattr: case SYS_fsetxattr:
	case SYS_listxattr: case SYS_llistxattr: case SYS_flistxattr: case SYS_removexattr: case SYS_lremovexattr: case SYS_fremovexattr:
	case SYS_sethostname: case SYS_getcpu: case SYS_membarrier: case SYS_msync: case SYS_mincore: case SYS_mlock: case SYS_munlock:
	case SYS_mlockall: case SYS_munlockall: case SYS_semget: case SYS_msgget: case SYS_shmget: case SYS_semop: case SYS_semtimedop:
	case SYS_shmat: case SYS_shmdt:
		return cleave_syscall(n, a, b, c, d, e, f);
	default:
		return cleave_syscall(n + REFUSED, a, b, c, d, e, f);
	}
#undef P
}

/* A program names calls by the numbers of its own machine. */
long syscall(long n, ...)
{
	return cleave_syscall(n + 2 * REFUSED, 0, 0, 0, 0, 0, 0);
}
