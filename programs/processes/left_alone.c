// Who is left when the program has ended goes on until it has ended or waits for ever.
//
// cleave: expect paths=2
// cleave: native no
// cleave: args --sym-arg 1
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int ends[2];
  char c;
  if (pipe(ends)) return 1;
  if (!fork()) {
    if (argv[1][0] != 'w') close(ends[1]);
    if (read(ends[0], &c, 1) == 0 && write(1, "alone\n", 6) != 6) _exit(1);
    _exit(2);
  }
  return 3;
}
