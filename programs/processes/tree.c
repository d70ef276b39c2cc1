// A tree of processes: each waits for its children and adds up their statuses.
//
// cleave: expect paths=4
// cleave: args --sym-arg 1
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int grow(int depth) {
  int sum = 0, status;
  if (!depth) return 1;
  for (int i = 0; i < 2; i++)
    if (!fork()) _exit(grow(depth - 1));
  while (wait(&status) > 0) sum += WEXITSTATUS(status);
  return sum + 1;
}

int main(int argc, char **argv) {
  int depth = argv[1][0] == '3' ? 3 : argv[1][0] == '2' ? 2 : argv[1][0] == '1';
  printf("%d\n", grow(depth));
  return 0;
}
