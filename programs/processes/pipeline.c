// A pipeline of three processes: numbers, their doubles, their sum.
//
// cleave: expect paths=4
// cleave: args --sym-arg 1
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void stage(int in, int out, int factor) {
  int n;
  while (read(in, &n, sizeof n) == sizeof n) {
    n *= factor;
    if (write(out, &n, sizeof n) != sizeof n) _exit(1);
  }
  _exit(0);
}

int main(int argc, char **argv) {
  int first[2], second[2], sum = 0, n, status, count;
  switch (argv[1][0]) {
  case '1': count = 1; break;
  case '2': count = 2; break;
  case '3': count = 30; break;
  default: count = 0;
  }
  if (pipe(first) || pipe(second)) return 1;
  pid_t doubles = fork();
  if (!doubles) {
    close(first[1]);
    close(second[0]);
    stage(first[0], second[1], 2);
  }
  pid_t numbers = fork();
  if (!numbers) {
    close(first[0]);
    close(second[0]);
    close(second[1]);
    for (int i = 1; i <= count; i++)
      if (write(first[1], &i, sizeof i) != sizeof i) _exit(1);
    _exit(0);
  }
  close(first[0]);
  close(first[1]);
  close(second[1]);
  while (read(second[0], &n, sizeof n) == sizeof n) sum += n;
  waitpid(doubles, &status, 0);
  printf("%d %d\n", sum, status);
  waitpid(numbers, &status, 0);
  printf("%d\n", status);
  return wait(NULL) != -1;
}
