// Timers that a program makes: signals with values, overruns, settings that are asked for, ignored and silent timers.
//
// cleave: args --sym-stdin 1
// cleave: expect paths=3
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t rings, value, code;

static void ring(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)context;
  rings++;
  value = info->si_value.sival_int;
  code = info->si_code;
}

static void said(const char *what, long result) {
  int error = errno;
  printf("%s: %ld%s%s, rang %d, value %d, by a timer %d\n", what, result, result < 0 ? " " : "",
         result < 0 ? strerror(error) : "", (int)rings, (int)value, code == SI_TIMER);
}

static timer_t made(clockid_t clock, int how, int signal, int what) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = how;
  event.sigev_signo = signal;
  event.sigev_value.sival_int = what;
  timer_t timer = NULL;
  int failed = timer_create(clock, &event, &timer);
  if (failed)
    said("timer_create", failed);
  return timer;
}

static void set(timer_t timer, long first, long again) {
  struct itimerspec length = { { again / 1000, again % 1000 * 1000000 }, { first / 1000, first % 1000 * 1000000 } };
  if (timer_settime(timer, 0, &length, NULL))
    said("timer_settime", -1);
}

static long left(timer_t timer) {
  struct itimerspec now;
  if (timer_gettime(timer, &now))
    return -1;
  return (now.it_value.tv_sec * 1000000000L + now.it_value.tv_nsec + 999999) / 1000000;
}

int main(void) {
  char input = 0;
  read(0, &input, 1);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = ring;
  action.sa_flags = SA_SIGINFO | (input == 'r' ? SA_RESTART : 0);
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGRTMIN, &action, NULL);

  timer_t once = made(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGUSR1, 7);
  set(once, 2000, 0);
  said("pause", pause());
  said("left", left(once));

  timer_t often = made(CLOCK_REALTIME, SIGEV_SIGNAL, SIGRTMIN, 8);
  set(often, 100, 100);
  struct timespec length = { 1, 0 }, rest = { 0, 0 };
  said("nanosleep", nanosleep(&length, &rest));
  printf("rest: %ld\n", (rest.tv_nsec + 999999) / 1000000);
  sigset_t blocked, none;
  sigemptyset(&none);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGRTMIN);
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  nanosleep(&length, NULL);
  said("blocked", timer_getoverrun(often));
  sigprocmask(SIG_UNBLOCK, &blocked, NULL);
  said("overrun", timer_getoverrun(often));
  set(often, 0, 0);

  int ends[2];
  pipe(ends);
  char byte;
  set(once, 500, 0);
  if (input == 'r')
    // The read that starts again finds the end of the pipe.
    close(ends[1]);
  said("read", read(ends[0], &byte, 1));
  said("timer_delete", timer_delete(once));
  said("again", timer_delete(once));

  timer_t silent = made(CLOCK_BOOTTIME, SIGEV_NONE, 0, 0);
  set(silent, 1500, 1000);
  nanosleep(&length, NULL);
  said("silent", left(silent));
  nanosleep(&length, NULL);
  said("silent again", left(silent));

  if (input == 'w') {
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    timer_t waited = made(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGRTMIN, 9);
    set(waited, 250, 250);
    siginfo_t info;
    for (int i = 0; i < 3; i++) {
      int signal = sigwaitinfo(&blocked, &info);
      printf("waited: %d %d %d\n", signal == SIGRTMIN, info.si_code == SI_TIMER, info.si_value.sival_int);
    }
  }
  return 0;
}
