// Jumps out of handlers, with and without the mask, and out of abort.
//
// cleave: args --sym-stdin 1
// cleave: expect paths=3
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static sigjmp_buf with, without;

static int blocked(int signal) {
  sigset_t set;
  sigprocmask(SIG_BLOCK, NULL, &set);
  return sigismember(&set, signal);
}

static void leaves(int signal) {
  printf("in %d: %d\n", signal, blocked(signal));
  if (signal == SIGUSR1)
    siglongjmp(with, signal);
  siglongjmp(without, signal);
}

static void inner(int signal) {
  int back = sigsetjmp(with, 1);
  if (back == 0)
    raise(SIGUSR1);
  printf("inner %d is back by %d, USR1 %d\n", signal, back, blocked(SIGUSR1));
}

int main(void) {
  char input = 0;
  read(0, &input, 1);
  signal(SIGUSR1, leaves);
  signal(SIGUSR2, leaves);
  signal(SIGTERM, inner);
  signal(SIGABRT, leaves);
  if (input == 'a') {
    if (sigsetjmp(without, 1) == 0)
      abort();
    printf("out of abort: %d\n", blocked(SIGABRT));
    return 3;
  }
  int back = sigsetjmp(with, 1);
  if (back == 0)
    raise(SIGUSR1);
  printf("back by %d: %d\n", back, blocked(SIGUSR1));
  back = sigsetjmp(without, 0);
  if (back == 0)
    raise(SIGUSR2);
  printf("back by %d: %d\n", back, blocked(SIGUSR2));
  raise(SIGTERM);
  printf("TERM %d\n", blocked(SIGTERM));
  if (input == 'm') {
    // What is pending comes when the mask of the place is put back.
    sigset_t term, none;
    sigemptyset(&term);
    sigemptyset(&none);
    sigaddset(&term, SIGTERM);
    if (sigsetjmp(without, 1) == 0) {
      sigprocmask(SIG_BLOCK, &term, NULL);
      kill(getpid(), SIGTERM);
      printf("pending\n");
      siglongjmp(without, 1);
    }
    printf("after it\n");
  }
  return 0;
}
