// System calls whose structures have pointers and words of the machine in them, so that programs for 32 bits have others: file systems,
// memory, times, timers, messages with descriptors, signals with values, children. The input is one of the values.
// cleave: args --sym-stdin 1
// cleave: expect paths=2
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int got[3];

static void told(int signal, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;
	got[0] = signal == SIGUSR1 && info->si_signo == SIGUSR1 && info->si_code == SI_QUEUE;
	got[1] = info->si_pid == getpid() && info->si_errno == 0;
	got[2] = info->si_value.sival_int;
	sigaddset(&interrupted->uc_sigmask, SIGUSR2);
}

static void file_system(void)
{
	struct statfs of;
	int result = statfs("/", &of);
	printf("statfs %d %d %d %d\n", result, of.f_bsize > 0, of.f_namelen == 255, of.f_blocks >= of.f_bfree);
	result = fstatfs(0, &of);
	printf("fstatfs %d %d\n", result, of.f_bsize > 0);
	result = statfs("/none/there", &of);
	printf("statfs %d %d\n", result, errno == ENOENT);
}

static void memory_and_times(void)
{
	struct sysinfo of;
	struct tms spent;
	struct itimerval long_one = { { 1000, 5 }, { 2000, 0 } }, before;
	int result = sysinfo(&of);
	printf("sysinfo %d %d %d\n", result, of.mem_unit > 0 && of.totalram > 0 && of.totalram >= of.freeram, of.procs > 0);
	printf("times %d %d\n", times(&spent) != (clock_t)-1, spent.tms_utime >= 0 && spent.tms_cutime == 0);
	result = setitimer(ITIMER_REAL, &long_one, NULL);
	printf("setitimer %d\n", result);
	result = getitimer(ITIMER_REAL, &before);
	printf("getitimer %d %d %d %d\n", result, (int)before.it_interval.tv_sec, (int)before.it_interval.tv_usec,
		before.it_value.tv_sec >= 1900);
	memset(&long_one, 0, sizeof long_one);
	result = setitimer(ITIMER_REAL, &long_one, &before);
	printf("setitimer %d %d\n", result, (int)before.it_interval.tv_usec);
}

/* A pipe's end goes through a socket. */
static void messages(char input)
{
	int pair[2], ends[2], passed = -1;
	char first[2] = "ab", second[1] = { input }, got_first[1], got_second[4];
	struct iovec from[2] = { { first, 2 }, { second, 1 } }, to[2] = { { got_first, 1 }, { got_second, 4 } };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} beside;
	struct msghdr message = { .msg_iov = from, .msg_iovlen = 2, .msg_control = &beside, .msg_controllen = sizeof beside };
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pipe(ends))
		exit(1);
	memset(&beside, 0, sizeof beside);
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);
	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(part), &ends[1], sizeof(int));
	printf("sendmsg %d\n", (int)sendmsg(pair[0], &message, 0));
	memset(&beside, 0, sizeof beside);
	message = (struct msghdr){ .msg_iov = to, .msg_iovlen = 2, .msg_control = &beside, .msg_controllen = sizeof beside };
	int result = recvmsg(pair[1], &message, 0);
	printf("recvmsg %d %c%c %d\n", result, got_first[0], got_second[0], got_second[1] == input);
	part = CMSG_FIRSTHDR(&message);
	if (!part || part->cmsg_type != SCM_RIGHTS || part->cmsg_len != CMSG_LEN(sizeof(int)) || CMSG_NXTHDR(&message, part))
		exit(2);
	memcpy(&passed, CMSG_DATA(part), sizeof(int));
	char through = 0;
	if (passed == ends[1] || write(passed, "x", 1) != 1 || read(ends[0], &through, 1) != 1)
		exit(3);
	printf("through %c\n", through);
}

static void signals(char input)
{
	struct sigaction action = { .sa_sigaction = told, .sa_flags = SA_SIGINFO }, before;
	union sigval value;
	sigset_t set;
	int result = sigaction(SIGUSR1, &action, NULL);
	printf("sigaction %d\n", result);
	value.sival_int = input;
	result = sigqueue(getpid(), SIGUSR1, value);
	printf("sigqueue %d %d %d %d\n", result, got[0], got[1], got[2] == input);
	sigprocmask(SIG_BLOCK, NULL, &set);
	printf("blocked %d %d\n", sigismember(&set, SIGUSR1), sigismember(&set, SIGUSR2));
	sigaction(SIGUSR1, NULL, &before);
	printf("handler %d %d\n", before.sa_sigaction == told, (before.sa_flags & SA_SIGINFO) != 0);

	struct timespec soon = { 0, 1000 };
	siginfo_t info;
	kill(getpid(), SIGUSR2);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	result = sigtimedwait(&set, &info, &soon);
	printf("sigtimedwait %d %d %d\n", result == SIGUSR2, info.si_pid == getpid(), info.si_code == SI_USER);

	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2, .sigev_value.sival_int = 77 };
	struct itimerspec after = { { 0, 0 }, { 0, 1000 } };
	timer_t timer;
	result = timer_create(CLOCK_MONOTONIC, &event, &timer);
	printf("timer_create %d\n", result);
	timer_settime(timer, 0, &after, NULL);
	result = sigwaitinfo(&set, &info);
	printf("sigwaitinfo %d %d %d\n", result == SIGUSR2, info.si_value.sival_int, info.si_code == SI_TIMER);

	char *stack = malloc(65536);
	stack_t other = { .ss_sp = stack, .ss_size = 65536 }, old;
	result = sigaltstack(&other, NULL);
	printf("sigaltstack %d\n", result);
	result = sigaltstack(NULL, &old);
	printf("sigaltstack %d %d %d\n", result, old.ss_sp == stack, (int)old.ss_size);
}

static void children(void)
{
	siginfo_t info;
	struct timespec resolution;
	int status = 0;
	pid_t child = fork();
	if (!child)
		_exit(5);
	int result = waitid(P_PID, child, &info, WEXITED | WNOWAIT);
	printf("waitid %d %d %d %d\n", result, info.si_pid == child, info.si_code == CLD_EXITED, info.si_status);
	result = wait4(child, &status, 0, NULL) == child;
	printf("wait4 %d %d\n", result, WEXITSTATUS(status));
	result = clock_getres(CLOCK_REALTIME, &resolution);
	printf("clock_getres %d %d\n", result, resolution.tv_sec == 0 && resolution.tv_nsec > 0);
}

/* Objects of System V are refused, so no call finds one. */
static void objects(void)
{
	struct sembuf down = { 0, -1, 0 };
	int set = semget(IPC_PRIVATE, 1, 0600);
	printf("semget %d %d\n", set, errno == EPERM);
	printf("semop %d %d\n", semop(set, &down, 1), errno == EINVAL);
	printf("shmat %d %d\n", shmat(-1, NULL, 0) == (void *)-1, errno == EINVAL);
}

int main(void)
{
	char input = 0;
	read(0, &input, 1);
	if (input < 0)
		input = 1;
	file_system();
	memory_and_times();
	messages(input);
	signals(input);
	children();
	objects();
	return 0;
}
