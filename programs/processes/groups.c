// A process group is killed at once, and those outside of it are not.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  pid_t members[3], outside, group = 0;
  int status, signal = argv[1][0] == 'h' ? SIGHUP : SIGTERM;
  for (int i = 0; i < 3; i++) {
    members[i] = fork();
    if (!members[i]) {
      setpgid(0, group);
      for (;;) pause();
    }
    setpgid(members[i], group);
    if (!group) group = members[0];
  }
  outside = fork();
  if (!outside)
    for (;;) pause();
  printf("%d %d\n", getpgid(members[2]) == members[0], getpgid(outside) == getpgrp());
  printf("%d\n", kill(-group, signal));
  for (int i = 0; i < 3; i++) {
    pid_t pid = waitpid(-group, &status, 0);
    printf("%d %d\n", pid > 0, WTERMSIG(status) == signal);
  }
  int left = waitpid(-group, &status, 0);
  printf("%d %d\n", left, errno == ECHILD);
  printf("%d\n", (int)waitpid(outside, &status, WNOHANG));
  kill(outside, SIGKILL);
  waitpid(outside, &status, 0);
  printf("%d\n", WTERMSIG(status));
  return 0;
}
