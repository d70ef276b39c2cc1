// The exit status is a value under the test, as output is: no decision depends on it. So are the values that a system
// call does not tell apart: signals beyond the last, bits of a mode above the permissions.
//
// cleave: args --sym-stdin 1
// cleave: expect paths=6
// cleave: levels -O0 -O2
#include <errno.h>
#include <klee/klee.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  int x;
  char c = 0;
  klee_make_symbolic(&x, sizeof x, "x");
  (void)!read(0, &c, 1);
  switch (c) {
  case 'a':
    exit(x * 3);
  case 'b':
    _exit(x);
  case 'c':
    klee_assume(x > 64);
    return raise(x) == -1 && errno == EINVAL ? x ^ 5 : 1;
  case 'd':
    klee_assume((x & 0777) == 022);
    umask((mode_t)x);
    printf("%o\n", umask(0));
    return 3;
  case 'e':
    klee_assume((x & 07777) == 0700);
    return mkdir("folder", (mode_t)x) + x;
  }
  return x;
}
