// Three symbolic bytes of standard input, each an 'a' or not.
//
// cleave: args --sym-stdin 3
// cleave: expect paths=8
#include <stdio.h>

int main(void) {
  int status = 0, c;
  while ((c = getchar()) != EOF) {
    status *= 2;
    if (c == 'a') status++;
  }
  printf("%d\n", status);
  return status;
}
