// Two workers take jobs from a list until it is shut down. A shutdown that wakes one of them leaves the other waiting.
//
// cleave: orders all --races paths=432
// cleave: orders all -DONE paths=354 failed=52 bug=deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs, done, over;

static void *work(void *unused) {
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!jobs && !over) pthread_cond_wait(&changed, &lock);
    if (!jobs) break;
    jobs--;
    done++;
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
  pthread_mutex_lock(&lock);
  jobs++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  over = 1;
#ifdef ONE
  pthread_cond_signal(&changed);
#else
  pthread_cond_broadcast(&changed);
#endif
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0); //~ ERROR deadlock
  return done != 1;
}
