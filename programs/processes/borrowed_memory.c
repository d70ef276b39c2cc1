// vfork: the child has its parent's memory, and the parent waits until it has ended.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int seen;

static int deep(int n) {
  volatile int local[8] = {n};
  seen += local[0];
  return n ? deep(n - 1) : 0;
}

int main(int argc, char **argv) {
  volatile int *heap = malloc(sizeof *heap);
  int status;
  if (!heap) return 1;
  *heap = 1;
  pid_t child = vfork();
  if (!child) {
    *heap = 42;
    seen = 1;
    deep(5);
    if (argv[1][0] == 'x') _exit(3);
    _exit(4);
  }
  printf("%d %d\n", seen, *heap);
  if (waitpid(child, &status, 0) != child) return 2;
  printf("%d\n", WEXITSTATUS(status));
  free((void *)heap);
  return 0;
}
