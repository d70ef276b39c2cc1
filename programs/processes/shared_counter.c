// Memory that processes share, beside memory that they do not.
//
// cleave: expect paths=3
// cleave: args --sym-arg 1
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int own = 1;

int main(int argc, char **argv) {
  int *shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int *private = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || private == MAP_FAILED) return 1;
  shared[1500] = argv[1][0];
  for (int i = 1; i <= 3; i++) {
    if (!fork()) {
      shared[0] += i;
      shared[1000]++;
      private[0] = own = 100;
      if (i == 2 && shared[1500] == 'm') munmap(shared, 8192);
      if (i == 3) shared[1500] += 1;
      _exit(0);
    }
    wait(NULL);
  }
  printf("%d %d %d %d\n", shared[0], shared[1000], private[0], own);
  if (shared[1500] == 'b') puts("it was a");
  return 0;
}
