// A signal to the process runs in the thread that does not block it; one to a thread runs there; sigwait takes one.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static pthread_t main_thread, catcher;
static int by_catcher, by_main;

static void handle(int signal) {
  if (pthread_equal(pthread_self(), catcher)) by_catcher += signal == SIGUSR1 ? 1 : 10;
  if (pthread_equal(pthread_self(), main_thread)) by_main++;
}

static void *catches(void *unused) {
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGTERM);
  pthread_sigmask(SIG_SETMASK, &taken, 0);
  while (by_catcher != 11) usleep(100);
  return 0;
}

static void *takes(void *unused) {
  sigset_t set;
  int taken;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigwait(&set, &taken);
  return (void *)(long)taken;
}

int main(int argc, char **argv) {
  struct sigaction action = {.sa_handler = handle};
  pthread_t taker;
  sigset_t all;
  void *taken;
  main_thread = pthread_self();
  sigaction(SIGUSR1, &action, 0);
  sigaction(SIGUSR2, &action, 0);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, 0);
  pthread_create(&taker, 0, takes, 0);
  pthread_create(&catcher, 0, catches, 0);
  kill(getpid(), SIGTERM);
  if (argv[1][0] == 'p') kill(getpid(), SIGUSR1);
  else pthread_kill(catcher, SIGUSR1);
  pthread_kill(catcher, SIGUSR2);
  pthread_join(catcher, 0);
  pthread_join(taker, &taken);
  printf("%d %d %d\n", by_catcher, by_main, (int)(long)taken == SIGTERM);
  return 0;
}
