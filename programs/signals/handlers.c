// Handlers: which runs, in which order, with which signals blocked, and what it is told. The input says whether signals are
// blocked while they are sent.
//
// cleave: args --sym-stdin 1
// cleave: expect paths=2
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say(const char *what, int signal) {
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  printf("%s %d, blocked:", what, signal);
  for (int i = 1; i <= 40; i++)
    if (sigismember(&blocked, i) == 1)
      printf(" %d", i);
  printf("\n");
}

static void plain(int signal) {
  say("plain", signal);
}

static void nested(int signal) {
  say("nested begins", signal);
  raise(SIGUSR2);
  say("nested ends", signal);
}

static void told(int signal, siginfo_t *info, void *context) {
  ucontext_t *interrupted = context;
  printf("told %d: signal %d, code %d, value %d, by itself %d, USR1 blocked before %d\n", signal, info->si_signo,
         info->si_code, info->si_value.sival_int, info->si_pid == getpid(),
         sigismember(&interrupted->uc_sigmask, SIGUSR1));
}

static void unblocks(int signal, siginfo_t *info, void *context) {
  ucontext_t *interrupted = context;
  (void)info;
  say("unblocks", signal);
  sigdelset(&interrupted->uc_sigmask, SIGHUP);
}

static void set(int signal, void (*handler)(int), int flags, int also) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  if (also)
    sigaddset(&action.sa_mask, also);
  if (sigaction(signal, &action, NULL) != 0)
    printf("sigaction fails\n");
}

int main(void) {
  char input = 0;
  read(0, &input, 1);
  set(SIGUSR1, nested, 0, SIGUSR2);
  set(SIGUSR2, plain, SA_NODEFER, 0);
  set(SIGTERM, plain, SA_RESETHAND, SIGALRM);
  set(SIGRTMIN, (void (*)(int))told, SA_SIGINFO, 0);
  set(SIGRTMIN + 1, (void (*)(int))told, SA_SIGINFO, 0);
  set(SIGHUP, (void (*)(int))unblocks, SA_SIGINFO, 0);
  set(SIGCHLD, SIG_IGN, 0, 0);

  sigset_t some, before;
  sigfillset(&some);
  if (input == 'b')
    sigprocmask(SIG_BLOCK, &some, &before);
  raise(SIGUSR1);
  kill(getpid(), SIGTERM);
  kill(getpid(), SIGCHLD);
  union sigval value = { .sival_int = 1 };
  sigqueue(getpid(), SIGRTMIN + 1, value);
  for (value.sival_int = 2; value.sival_int < 4; value.sival_int++)
    sigqueue(getpid(), SIGRTMIN, value);
  sigset_t pending;
  sigpending(&pending);
  printf("pending: %d %d %d\n", sigismember(&pending, SIGUSR1), sigismember(&pending, SIGTERM),
         sigismember(&pending, SIGRTMIN));
  if (input == 'b') {
    // One is taken by hand, in the order in which they were sent.
    siginfo_t info;
    sigemptyset(&some);
    sigaddset(&some, SIGRTMIN);
    printf("taken: %d", sigwaitinfo(&some, &info));
    printf(" with %d\n", info.si_value.sival_int);
    sigprocmask(SIG_SETMASK, &before, NULL);
  }
  struct sigaction now;
  sigaction(SIGTERM, NULL, &now);
  printf("TERM is %s\n", now.sa_handler == SIG_DFL ? "as at first" : "caught");

  sigemptyset(&some);
  sigaddset(&some, SIGHUP);
  sigprocmask(SIG_BLOCK, &some, NULL);
  kill(getpid(), SIGHUP);
  sigemptyset(&some);
  sigsuspend(&some);
  say("at the end", 0);
  return 0;
}
