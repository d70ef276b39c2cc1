// One barrier for two rounds: what was written in front of it is read behind it, without a lock. Without the second wait a fast thread
// writes while a slow one reads.
//
// cleave: orders all --races paths=81
// cleave: orders all -DONE_WAIT --races paths=1 failed=3 bug=data-race,deadlock
#include <pthread.h>

static pthread_barrier_t barrier;
static int slots[2];

static void *work(void *which) {
  int own = (int)(long)which;
  for (int round = 1; round <= 2; round++) {
    slots[own] = round; //~ ERROR race
    pthread_barrier_wait(&barrier);
    if (slots[1 - own] != round) return (void *)1; //~ ERROR race
#ifndef ONE_WAIT
    pthread_barrier_wait(&barrier);
#endif
  }
  return 0;
}

int main(void) {
  pthread_t threads[2];
  void *bad;
  pthread_barrier_init(&barrier, 0, 2);
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], &bad); //~ ERROR deadlock
    if (bad) return 1;
  }
  return 0;
}
