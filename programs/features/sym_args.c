// No to two symbolic arguments of at most one character: each is empty, 'a' or another one. 1 + 3 + 9 paths.
//
// cleave: args --sym-args 0 2 1
// cleave: expect paths=13
#include <stdio.h>

int main(int argc, char **argv) {
  int status = argc;
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '\0')
      puts("empty");
    else if (argv[i][0] == 'a')
      puts("a");
    else
      puts("another");
  }
  return status;
}
