// Two processes that wait for each other.
//
// cleave: expect paths=1 failed=1
// cleave: native no
// cleave: args --sym-arg 1
// cleave: says in process 2: read waits for ever: the pipe is empty and nobody writes to it
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int down[2], up[2];
  char c;
  if (pipe(down) || pipe(up)) return 1;
  if (!fork()) {
    if (read(down[0], &c, 1) != 1) _exit(1);
    _exit(write(up[1], &c, 1) != 1);
  }
  if (argv[1][0] != 'd' && write(down[1], "x", 1) != 1) return 2;
  if (read(up[0], &c, 1) != 1) return 3; //~ ERROR deadlock
  wait(NULL);
  return 0;
}
