// Timers interrupt what waits: sleeps, pipes, poll, sigsuspend, with and without starting again. Time is the model's.
//
// cleave: args --sym-stdin 1
// cleave: expect paths=2
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int ends[2];
static volatile sig_atomic_t rings;

static void rings_again(int signal) {
  (void)signal;
  // The third one lets a reader go on.
  if (++rings % 3 == 0)
    write(ends[1], "x", 1);
}

static void catch(int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = rings_again;
  action.sa_flags = flags;
  sigaction(SIGALRM, &action, NULL);
}

static void every(long milliseconds) {
  struct itimerval timer = { { milliseconds / 1000, milliseconds % 1000 * 1000 },
                             { milliseconds / 1000, milliseconds % 1000 * 1000 } };
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void said(const char *what, long result) {
  int error = errno;
  printf("%s: %ld%s%s, rang %d\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(error) : "", (int)rings);
}

int main(void) {
  char input = 0, byte;
  read(0, &input, 1);
  pipe(ends);
  catch(input == 'r' ? SA_RESTART : 0);
  time_t start = time(NULL);

  alarm(3);
  said("pause", pause());
  alarm(10);
  said("alarm", alarm(2));
  struct timespec length = { 5, 0 }, left = { 0, 0 };
  said("nanosleep", nanosleep(&length, &left));
  printf("left: about %ld\n", (long)(left.tv_sec + (left.tv_nsec > 500000000)));

  every(250);
  errno = 0;
  long got = read(ends[0], &byte, 1);
  said("read", got);
  if (got < 0)
    while ((got = read(ends[0], &byte, 1)) < 0)
      said("read again", got);
  every(0);

  struct pollfd watched = { ends[0], POLLIN, 0 };
  alarm(1);
  said("poll", poll(&watched, 1, 5000));
  said("poll without patience", poll(&watched, 1, 100));
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  alarm(1);
  said("select", select(ends[0] + 1, &set, NULL, NULL, NULL));

  sigset_t ring, none;
  sigemptyset(&none);
  sigemptyset(&ring);
  sigaddset(&ring, SIGALRM);
  sigprocmask(SIG_BLOCK, &ring, NULL);
  alarm(1);
  said("sigsuspend", sigsuspend(&none));
  alarm(1);
  struct timespec patience = { 4, 0 };
  said("sigtimedwait", sigtimedwait(&ring, NULL, &patience));
  said("sigtimedwait", sigtimedwait(&ring, NULL, &patience));
  alarm(1);
  said("sleep", sleep(2));
  said("ppoll", ppoll(NULL, 0, &patience, &none));
  printf("%ld seconds\n", (long)(time(NULL) - start));
  return 0;
}
