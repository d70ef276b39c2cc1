// A token that goes round a ring of four processes, and a sum that grows with it.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEMBERS = 4 };

int main(int argc, char **argv) {
  int ends[MEMBERS][2], rounds = argv[1][0] == 'r' ? 5 : 2, token = 0;
  for (int i = 0; i < MEMBERS; i++)
    if (pipe(ends[i])) return 1;
  for (int i = 1; i < MEMBERS; i++) {
    if (fork()) continue;
    for (int k = 0; k < MEMBERS; k++) {
      if (k != i - 1) close(ends[k][0]);
      if (k != i) close(ends[k][1]);
    }
    while (read(ends[i - 1][0], &token, sizeof token) == sizeof token) {
      token += i;
      if (write(ends[i][1], &token, sizeof token) != sizeof token) _exit(1);
    }
    _exit(0);
  }
  for (int r = 0; r < rounds; r++) {
    if (write(ends[0][1], &token, sizeof token) != sizeof token) return 2;
    if (read(ends[MEMBERS - 1][0], &token, sizeof token) != sizeof token) return 3;
    printf("%d\n", token);
  }
  for (int i = 0; i < MEMBERS; i++) close(ends[i][1]);
  int ended = 0;
  while (wait(NULL) > 0) ended++;
  printf("%d\n", ended);
  return 0;
}
