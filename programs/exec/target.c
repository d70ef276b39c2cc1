/* What the programs of this folder execute: it tells what it was started with. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static void descriptors(void)
{
	printf("descriptors:");
	for (int fd = 0; fd < 20; fd++) {
		int flags = fcntl(fd, F_GETFD);
		if (flags >= 0)
			printf(" %d(%d, %lld)", fd, flags, (long long)lseek(fd, 0, SEEK_CUR));
	}
	printf("\n");
}

static void signals(void)
{
	sigset_t blocked, pending;
	sigprocmask(SIG_BLOCK, 0, &blocked);
	sigpending(&pending);
	printf("signals:");
	for (int signal = 1; signal < 32; signal++) {
		struct sigaction action;
		if (sigaction(signal, 0, &action))
			continue;
		const char *what = action.sa_handler == SIG_IGN ? "ignored" : action.sa_handler ? "caught" : "";
		const char *waits = sigismember(&pending, signal) ? "pending" : "";
		if (*what || *waits || sigismember(&blocked, signal))
			printf(" %d(%s %d %s)", signal, what, sigismember(&blocked, signal), waits);
	}
	stack_t stack;
	sigaltstack(0, &stack);
	printf("; stack %d\n", stack.ss_flags);
}

int main(int argc, char **argv)
{
	char name[17] = "", folder[100] = "";
	for (int i = 0; i < argc; i++)
		printf("argument %d: %s\n", i, argv[i]);
	for (char **variable = environ; *variable; variable++)
		if (strncmp(*variable, "CLEAVE_TEST=", 12))
			printf("variable: %s\n", *variable);
	descriptors();
	signals();
	prctl(PR_GET_NAME, name);
	printf("%s %d %03o %s\n", name, (int)getpid(), umask(0), getcwd(folder, sizeof folder));
	if (argc > 1 && argv[1][0] == 'x')
		return 7;
	if (argc > 1 && !strcmp(argv[1], "unblock")) {
		sigset_t all;
		sigfillset(&all);
		fflush(stdout);
		sigprocmask(SIG_UNBLOCK, &all, 0);
	}
	return errno;
}
