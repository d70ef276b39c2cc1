// A ring buffer of two places between a producer and a consumer, with two semaphores and no lock.
//
// cleave: orders all --races paths=70
// cleave: orders all -DNO_LIMIT --races paths=2 failed=8 bug=data-race
#include <pthread.h>
#include <semaphore.h>

static sem_t filled, empty;
static int ring[2];

static void *produce(void *unused) {
  for (int i = 0; i < 3; i++) {
#ifndef NO_LIMIT
    sem_wait(&empty);
#endif
    ring[i % 2] = i; //~ ERROR race
    sem_post(&filled);
  }
  return 0;
}

int main(void) {
  pthread_t thread;
  sem_init(&filled, 0, 0);
  sem_init(&empty, 0, 2);
  pthread_create(&thread, 0, produce, 0);
  for (int i = 0; i < 3; i++) {
    sem_wait(&filled);
    if (ring[i % 2] != i) return 1; //~ ERROR race
    sem_post(&empty);
  }
  return pthread_join(thread, 0);
}
