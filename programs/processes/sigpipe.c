// Who writes to a pipe that nobody reads ends by SIGPIPE, or is told where that is ignored.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int ends[2], status;
  if (pipe(ends)) return 1;
  pid_t child = fork();
  if (!child) {
    close(ends[0]);
    static char piece[1000];
    if (argv[1][0] == 'i') signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < 1000; i++)
      if (write(ends[1], piece, sizeof piece) != sizeof piece) _exit(errno == EPIPE ? 3 : 4);
    _exit(5);
  }
  close(ends[1]);
  char ten[10];
  printf("%d\n", (int)read(ends[0], ten, 10));
  close(ends[0]);
  if (waitpid(child, &status, 0) != child) return 2;
  printf("%d %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0, WIFEXITED(status) ? WEXITSTATUS(status) : 0);
  return 0;
}
