// A thread looks without the lock whether it has to wait: the wake-up may come in between, and is lost.
//
// cleave: orders all --races paths=3 failed=1 bug=deadlock
// cleave: bug deadlock
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t ready;

static void *wake(void *unused) {
  sem_post(&ready);
  pthread_mutex_lock(&lock);
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t thread;
  int is_ready;
  sem_init(&ready, 0, 0);
  pthread_create(&thread, 0, wake, 0);
  sem_getvalue(&ready, &is_ready);
  if (!is_ready) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&changed, &lock); //~ ERROR deadlock
    pthread_mutex_unlock(&lock);
  }
  return pthread_join(thread, 0);
}
