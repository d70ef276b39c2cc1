// An input that a child makes is one of the path's, like any other.
//
// cleave: expect paths=4
// cleave: native no
#include <klee/klee.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  int status;
  if (!fork()) {
    unsigned char c;
    klee_make_symbolic(&c, sizeof c, "child");
    if (c < 10) _exit(1);
    _exit(2);
  }
  wait(&status);
  unsigned char d;
  klee_make_symbolic(&d, sizeof d, "parent");
  if (d < 20) puts("low");
  return WEXITSTATUS(status);
}
