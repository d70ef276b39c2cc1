// Children whose end nobody wants to hear of leave nothing behind.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int status = 0;
  if (argv[1][0] == 'i') signal(SIGCHLD, SIG_IGN);
  for (int i = 0; i < 3; i++)
    if (!fork()) _exit(i);
  int found = 0;
  while (wait(&status) > 0) found++;
  printf("%d %d\n", found, errno == ECHILD);
  return 0;
}
