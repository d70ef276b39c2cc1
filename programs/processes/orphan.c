// A grandchild whose parent ends first has another parent then, and nobody here can wait for it.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int gone[2], told[2], status;
  char c = 0;
  if (pipe(gone) || pipe(told)) return 1;
  pid_t child = fork();
  if (!child) {
    pid_t parent = getpid();
    if (!fork()) {
      close(gone[1]);
      if (read(gone[0], &c, 1) != 0) _exit(1);
      c = getppid() == parent ? 'n' : 'y';
      if (argv[1][0] == 'u') c += 'Y' - 'y';
      _exit(write(told[1], &c, 1) != 1);
    }
    _exit(7);
  }
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7) return 2;
  close(gone[1]);
  close(told[1]);
  if (read(told[0], &c, 1) != 1) return 3;
  printf("%c\n", c);
  printf("%d\n", wait(NULL) == -1 && errno == ECHILD);
  return 0;
}
