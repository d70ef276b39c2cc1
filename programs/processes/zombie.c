// A child that has ended is still there until its parent asks: it can be looked at, and sent signals.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  siginfo_t info;
  int status;
  pid_t child = fork();
  if (!child) _exit(5);
  if (waitid(P_PID, child, &info, WEXITED | WNOWAIT)) return 1;
  printf("%d %d %d\n", info.si_signo == SIGCHLD, info.si_code == CLD_EXITED, info.si_status);
  printf("%d\n", info.si_pid == child);
  printf("%d %d\n", kill(child, 0), getpgid(child) == getpgrp());
  if (argv[1][0] == 'k') printf("%d\n", kill(child, SIGKILL));
  if (waitpid(child, &status, 0) != child) return 2;
  printf("%d %d\n", WIFEXITED(status), WEXITSTATUS(status));
  int gone = kill(child, 0);
  printf("%d %d\n", gone, errno == ESRCH);
  return 0;
}
