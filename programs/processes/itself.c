// A process is no child of its own; a child that kills itself; a child that its parent kills.
//
// cleave: expect paths=3
// cleave: args --sym-arg 1
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int status;
  printf("%d ", (int)waitpid(getpid(), &status, 0));
  printf("%d\n", errno == ECHILD);
  pid_t child = fork();
  if (!child) {
    if (argv[1][0] == 't') raise(SIGTERM);
    for (;;) pause();
  }
  if (argv[1][0] != 't') kill(child, argv[1][0] == 'i' ? SIGINT : SIGKILL);
  if (waitpid(child, &status, 0) != child) return 1;
  printf("%d %d %d\n", WIFEXITED(status), WIFSIGNALED(status), WTERMSIG(status));
  return 0;
}
