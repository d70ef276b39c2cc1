// The process: argc and argv, getenv and setenv, the exit status of _exit, output left unflushed by it.
//
// cleave: expect paths=1
// cleave: exit 4
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  printf("%d %d %d\n", argc, argv[argc] == NULL, argv[0] != NULL);
  setenv("CLEAVE_FEATURE", "value", 1);
  printf("%s %d\n", getenv("CLEAVE_FEATURE"), getenv("CLEAVE_ABSENT") == NULL);
  putenv("CLEAVE_FEATURE=other");
  printf("%s\n", getenv("CLEAVE_FEATURE"));
  unsetenv("CLEAVE_FEATURE");
  printf("%d\n", getenv("CLEAVE_FEATURE") == NULL);
  fflush(stdout);
  setvbuf(stdout, NULL, _IOFBF, 1024);
  printf("stays in the buffer");
  _exit(4);
}
