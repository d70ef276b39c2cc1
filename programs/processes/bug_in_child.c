// A bug of a child is one of the path.
//
// cleave: expect paths=1 failed=1
// cleave: native no
// cleave: args --sym-arg 1
// cleave: says in process 3: an access at offset 4 of a heap object of 4 bytes
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int status;
  char *four = malloc(4);
  if (!four) return 1;
  if (!fork()) {
    int at = argv[1][0] == 'b' ? 4 : 1;
    four[at] = 1; //~ ERROR ptr
    free(four);
    exit(0);
  }
  wait(&status);
  free(four);
  return status;
}
