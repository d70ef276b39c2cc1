// A parent waits for SIGCHLD by sigsuspend, as shells do in `wait`: the signal comes while it waits, or before.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t got;

static void handler(int signal) { got = signal; }

int main(int argc, char **argv) {
  sigset_t all, old;
  int status, rounds = 0, ends[2];
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGCHLD, &action, 0);
  if (pipe(ends)) return 1;
  pid_t child = fork();
  if (!child) {
    close(ends[1]);
    if (argv[1][0] == 'l') read(ends[0], &status, 1);
    _exit(7);
  }
  close(ends[0]);
  for (;;) {
    got = 0;
    pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended > 0) break;
    if (ended < 0) return 2;
    if (ends[1] >= 0 && rounds) close(ends[1]), ends[1] = -1;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    close(ends[1]), ends[1] = -1;
    while (!got)
      if (sigsuspend(&old) != -1 || errno != EINTR) return 3;
    sigprocmask(SIG_SETMASK, &old, 0);
    rounds++;
  }
  printf("%d\n", WEXITSTATUS(status));
  return rounds > 1;
}
