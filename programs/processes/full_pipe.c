// A pipe that is full holds its writer up until somebody reads.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[200000], piece[5000];

int main(int argc, char **argv) {
  int ends[2], status;
  long total = 0, check = 0, n;
  long size = argv[1][0] == 'l' ? sizeof buffer : 100000;
  if (pipe(ends)) return 1;
  pid_t child = fork();
  if (!child) {
    close(ends[0]);
    for (long i = 0; i < size; i++) buffer[i] = (char)(i * 7);
    _exit(write(ends[1], buffer, size) != size);
  }
  close(ends[1]);
  while ((n = read(ends[0], piece, sizeof piece)) > 0) {
    for (long i = 0; i < n; i++) check += piece[i] == (char)((total + i) * 7);
    total += n;
  }
  waitpid(child, &status, 0);
  printf("%ld %ld %d\n", total, check, status);
  return 0;
}
