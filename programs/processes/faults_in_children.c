// A child ends by an error of its own, and its parent exits as ever: the path is the child's error, natively both are seen.
//
// cleave: expect paths=1 failed=4
// cleave: native no
// cleave: args --sym-arg 1
// cleave: says in process 3: the assertion
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  volatile int zero = 0;
  int *volatile nowhere = 0;
  int status;
  pid_t child = fork();
  if (!child) switch (argv[1][0]) {
    case 'a': assert(zero); //~ ERROR assert
    case 'b': abort(); //~ ERROR abort
    case 'd': _exit(1 / zero); //~ ERROR div
    case 'n': *nowhere = 1; //~ ERROR ptr
    default: _exit(5);
    }
  if (waitpid(child, &status, 0) != child) return 1;
  printf("%d %d\n", WIFSIGNALED(status), WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return 0;
}
