/* Signals that are caught are so no more; what is ignored, blocked or pending stays so. */
// cleave: program target=target.c
// cleave: args --sym-arg 7
// Not u first: x alone, x and more, other; a difference behind u, un, ... unbloc: 6; the word itself.
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void catch(int signal)
{
}

int main(int argc, char **argv)
{
	static char place[SIGSTKSZ];
	stack_t stack = {.ss_sp = place, .ss_size = sizeof place};
	sigset_t some;
	sigaltstack(&stack, 0);
	signal(SIGUSR1, catch);
	signal(SIGUSR2, SIG_IGN);
	signal(SIGINT, catch);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&some);
	sigaddset(&some, SIGTERM);
	sigaddset(&some, SIGUSR1);
	sigaddset(&some, SIGUSR2);
	sigprocmask(SIG_BLOCK, &some, 0);
	raise(SIGTERM);
	if (strcmp(argv[1], "unblock") && strcmp(argv[1], "x"))
		return 3;
	execlp("target", "target", argv[1], (char *)0);
	return 1;
}
// cleave: expect paths=10
