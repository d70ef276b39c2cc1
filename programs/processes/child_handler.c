// SIGCHLD: a handler collects the children that have ended.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int ended, sum;

static void collect(int signal) {
  int status;
  (void)signal;
  while (waitpid(-1, &status, WNOHANG) > 0) {
    ended++;
    sum += WEXITSTATUS(status);
  }
}

int main(int argc, char **argv) {
  struct sigaction action = {.sa_handler = collect, .sa_flags = SA_RESTART};
  sigset_t block, before;
  int count = argv[1][0] == '3' ? 3 : 1;
  sigaction(SIGCHLD, &action, NULL);
  sigemptyset(&block);
  sigaddset(&block, SIGCHLD);
  sigprocmask(SIG_BLOCK, &block, &before);
  for (int i = 0; i < count; i++)
    if (!fork()) _exit(i + 1);
  while (ended < count) sigsuspend(&before);
  printf("%d %d\n", ended, sum);
  return 0;
}
