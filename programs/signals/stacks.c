// The alternate stack: who runs on it, and who may change it.
//
// cleave: expect paths=1
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 65536

static void told(const char *what) {
  stack_t stack;
  sigaltstack(NULL, &stack);
  printf("%s: %s%s, %d bytes\n", what, stack.ss_flags & SS_ONSTACK ? "on it" : "not on it",
         stack.ss_flags & SS_DISABLE ? ", there is none" : "", (int)stack.ss_size);
}

static void handler(int signal) {
  printf("handler of %d\n", signal);
  told("  in it");
  stack_t none = { .ss_flags = SS_DISABLE };
  int changed = sigaltstack(&none, NULL);
  printf("  changed: %d %s\n", changed, changed ? strerror(errno) : "");
  if (signal == SIGUSR1)
    raise(SIGUSR2);
}

int main(void) {
  told("at first");
  stack_t stack = { .ss_sp = malloc(SIZE), .ss_size = SIZE };
  stack_t small = { .ss_sp = stack.ss_sp, .ss_size = 100 };
  printf("too small: %d", sigaltstack(&small, NULL));
  printf(" %s\n", strerror(errno));
  sigaltstack(&stack, NULL);
  told("set");
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, NULL);
  action.sa_flags = 0;
  sigaction(SIGUSR2, &action, NULL);
  raise(SIGUSR1);
  told("after one");
  raise(SIGUSR2);
  told("after the other");
  free(stack.ss_sp);
  return 0;
}
