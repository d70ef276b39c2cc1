// Two consumers and a producer share one condition and a buffer of one thing. A signal may wake one of the same kind, and is lost.
//
// cleave: orders all --races paths=711 failed=16 bug=deadlock
// cleave: orders all -DALL --races paths=877
#include <pthread.h>

#ifdef ALL
#define WAKE pthread_cond_broadcast
#else
#define WAKE pthread_cond_signal
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;

static void *consume(void *unused) {
  pthread_mutex_lock(&lock);
  while (!full) pthread_cond_wait(&changed, &lock); //~ ERROR deadlock
  full = 0;
  WAKE(&changed);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, consume, 0);
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    while (full) pthread_cond_wait(&changed, &lock); //~ ERROR deadlock
    full = 1;
    WAKE(&changed);
    pthread_mutex_unlock(&lock);
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0); //~ ERROR deadlock
  return 0;
}
