// A symbolic argument of at most two characters: an empty one, and for each character 'a' or another one.
// The output depends on the input, so replay has something to compare.
//
// cleave: args --sym-arg 2
// cleave: expect paths=7
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc != 2) return 100;
  int status = 1;
  for (const char *p = argv[1]; *p != '\0'; p++) {
    status = status * 2;
    if (*p == 'a') {
      status++;
      putchar('A');
    } else {
      putchar('-');
    }
  }
  putchar('\n');
  return status;
}
