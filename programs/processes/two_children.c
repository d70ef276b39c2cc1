// Two children, waited for in either order and by any number.
//
// cleave: expect paths=3
// cleave: args --sym-arg 1
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  pid_t children[2];
  int status, seen = 0, sum = 0;
  for (int i = 0; i < 2; i++) {
    children[i] = fork();
    if (!children[i]) _exit(10 + i);
  }
  if (argv[1][0] == 'a' || argv[1][0] == 'b') {
    pid_t wanted = children[argv[1][0] - 'a'];
    if (waitpid(wanted, &status, 0) != wanted) return 1;
    printf("wanted %d\n", WEXITSTATUS(status));
    seen++;
  }
  for (;;) {
    pid_t pid = waitpid(-1, &status, 0);
    if (pid == -1) break;
    if (pid != children[0] && pid != children[1]) return 2;
    seen++;
    sum += WEXITSTATUS(status);
  }
  printf("%d %d %d\n", seen, sum, errno == ECHILD);
  return 0;
}
