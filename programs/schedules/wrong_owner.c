// A thread unlocks what another one has locked: a mutex is no semaphore.
//
// cleave: orders all failed=1 bug=bad-unlock
// cleave: orders all -DSEMAPHORE --races paths=2
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;

static void *work(void *unused) {
#ifdef SEMAPHORE
  sem_post(&done);
#else
  pthread_mutex_unlock(&lock); //~ ERROR bad_unlock
#endif
  return 0;
}

int main(void) {
  pthread_t thread;
  sem_init(&done, 0, 0);
#ifndef SEMAPHORE
  pthread_mutex_lock(&lock);
#endif
  pthread_create(&thread, 0, work, 0);
#ifdef SEMAPHORE
  sem_wait(&done);
#endif
  return pthread_join(thread, 0);
}
