// Who runs what is to run once is cancelled in it: then it has not run, and the next thread runs it.
//
// cleave: orders all --races paths=11
#include <pthread.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs, slow = 1;

static void run(void) {
  runs++;
  if (slow) {
    slow = 0;
    for (;;) pause();
  }
}

static void *work(void *unused) {
  pthread_once(&once, run);
  return 0;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, work, 0);
  pthread_cancel(first);
  pthread_join(first, 0);
  slow = 0; // of whom nobody has run it
  pthread_create(&second, 0, work, 0);
  pthread_join(second, 0);
  return runs < 1 || runs > 2;
}
