// What a child has lost of the heap at its end is a leak, though its parent loses nothing.
//
// cleave: expect paths=1 failed=1
// cleave: native no
// cleave: args --sym-arg 1
// cleave: run --check leak
// cleave: says in process 3: a heap object of 4 bytes
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void lose(void) {
  char *volatile four = malloc(4); //~ ERROR leak
  if (four) four[0] = 1;
}

int main(int argc, char **argv) {
  if (!fork()) {
    if (argv[1][0] == 'l') lose();
    exit(0);
  }
  wait(NULL);
  return 0;
}
