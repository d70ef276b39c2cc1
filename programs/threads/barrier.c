// A barrier that is used twice: nobody is in the second phase before all have ended the first.
//
// cleave: expect paths=1
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3 };
static pthread_barrier_t barrier;
static int done[2], early, serial;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
  for (int phase = 0; phase < 2; phase++) {
    pthread_mutex_lock(&lock);
    done[phase]++;
    pthread_mutex_unlock(&lock);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
      pthread_mutex_lock(&lock);
      serial++;
      pthread_mutex_unlock(&lock);
    }
    if (done[phase] != THREADS) early++;
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, 0, THREADS);
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  pthread_barrier_destroy(&barrier);
  printf("%d %d %d %d\n", done[0], done[1], early, serial);
  return 0;
}
