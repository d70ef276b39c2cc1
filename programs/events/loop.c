// A loop over events: a counter, a timer and a signal are watched together, and an input says what happens.
//
// cleave: args --sym-stdin 2
// cleave: expect paths=9
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void) {
  char input[2] = { 0, 0 };
  read(0, input, 2);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGALRM);
  sigprocmask(SIG_BLOCK, &set, NULL);
  int counter = eventfd(0, EFD_NONBLOCK | (input[0] == 's' ? EFD_SEMAPHORE : 0));
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  int signals = signalfd(-1, &set, 0);
  int loop = epoll_create1(EPOLL_CLOEXEC);
  int watched[] = { counter, timer, signals };
  for (int i = 0; i < 3; i++) {
    struct epoll_event event = { EPOLLIN, { .u64 = i } };
    epoll_ctl(loop, EPOLL_CTL_ADD, watched[i], &event);
  }
  struct itimerspec often = { { 1, 0 }, { 1, 0 } };
  if (input[0] == 't') {
    alarm(2);
    often.it_interval.tv_sec = 0;
  }
  timerfd_settime(timer, 0, &often, NULL);
  uint64_t many = 2;
  write(counter, &many, sizeof many);
  if (input[1] == 'k')
    kill(getpid(), SIGUSR1);
  if (input[1] == 'v')
    sigqueue(getpid(), SIGUSR1, (union sigval){ .sival_ptr = (void *)42 });
  for (int round = 0; round < 4; round++) {
    struct epoll_event events[4];
    int n = epoll_wait(loop, events, 4, 5000);
    printf("round %d: %d\n", round, n);
    for (int i = 0; i < n; i++) {
      uint64_t count = 0;
      struct signalfd_siginfo told;
      switch (events[i].data.u32) {
      case 2:
        read(signals, &told, sizeof told);
        printf("  signal %d, by itself %d, value %d\n", told.ssi_signo, told.ssi_pid == (uint32_t)getpid(), told.ssi_int);
        break;
      default:
        read(watched[events[i].data.u32], &count, sizeof count);
        printf("  %s %d\n", events[i].data.u32 ? "timer" : "counter", (int)count);
      }
    }
  }
  errno = 0;
  uint64_t count;
  long n = read(counter, &count, sizeof count);
  printf("counter: %ld %s\n", n, strerror(errno));
  return 0;
}
