/* System calls of a program for 32 bits that Cleave explores. The engine's kernel is one of x86-64, with its numbers and
 * structures; compat.c stands between. Arguments are wide, as some are offsets of files. */
#define __SYSCALL_LL_E(x) (x)
#define __SYSCALL_LL_O(x) (x)
#define IPC_64 0

#define __scc(x) (sizeof(1 ? (x) : 0ULL) < 8 ? (long long)(unsigned long)(x) : (long long)(x))
typedef long long syscall_arg_t;

long cleave_compat(long long, long long, long long, long long, long long, long long, long long);

static __inline long __syscall0(long long n)
{
	return cleave_compat(n, 0, 0, 0, 0, 0, 0);
}

static __inline long __syscall1(long long n, long long a)
{
	return cleave_compat(n, a, 0, 0, 0, 0, 0);
}

static __inline long __syscall2(long long n, long long a, long long b)
{
	return cleave_compat(n, a, b, 0, 0, 0, 0);
}

static __inline long __syscall3(long long n, long long a, long long b, long long c)
{
	return cleave_compat(n, a, b, c, 0, 0, 0);
}

static __inline long __syscall4(long long n, long long a, long long b, long long c, long long d)
{
	return cleave_compat(n, a, b, c, d, 0, 0);
}

static __inline long __syscall5(long long n, long long a, long long b, long long c, long long d, long long e)
{
	return cleave_compat(n, a, b, c, d, e, 0);
}

static __inline long __syscall6(long long n, long long a, long long b, long long c, long long d, long long e, long long f)
{
	return cleave_compat(n, a, b, c, d, e, f);
}

/* Their times have 64 bits. */
#undef SYS_futimesat
#define SYS_clock_gettime64 SYS_clock_gettime
#define SYS_clock_settime64 SYS_clock_settime
#define SYS_clock_getres_time64 SYS_clock_getres
#define SYS_clock_nanosleep_time64 SYS_clock_nanosleep
#define SYS_utimensat_time64 SYS_utimensat
#define SYS_pselect6_time64 SYS_pselect6
#define SYS_ppoll_time64 SYS_ppoll
#define SYS_futex_time64 SYS_futex
#define SYS_clock_adjtime64 SYS_clock_adjtime
#define SYS_timer_gettime64 SYS_timer_gettime
#define SYS_timer_settime64 SYS_timer_settime
#define SYS_timerfd_gettime64 SYS_timerfd_gettime
#define SYS_timerfd_settime64 SYS_timerfd_settime
#define SYS_recvmmsg_time64 SYS_recvmmsg
#define SYS_mq_timedsend_time64 SYS_mq_timedsend
#define SYS_mq_timedreceive_time64 SYS_mq_timedreceive
#define SYS_semtimedop_time64 SYS_semtimedop
#define SYS_rt_sigtimedwait_time64 SYS_rt_sigtimedwait
#define SYS_sched_rr_get_interval_time64 SYS_sched_rr_get_interval
#define SYS_getrusage_time64 SYS_getrusage
#define SYS_wait4_time64 SYS_wait4
