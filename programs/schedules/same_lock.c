// N threads that take one of M locks K times each: each order in which they get a lock counts once, (NK)! / K!^N for one lock.
//
// cleave: orders all -DN=2 -DK=1 -DM=1 paths=2
// cleave: orders all -DN=3 -DK=1 -DM=1 paths=6
// cleave: orders all -DN=4 -DK=1 -DM=1 paths=24
// cleave: orders all -DN=2 -DK=2 -DM=1 paths=6
// cleave: orders all -DN=3 -DK=2 -DM=1 paths=90
// cleave: orders all -DN=4 -DK=1 -DM=2 paths=4
#include <pthread.h>

static pthread_mutex_t locks[M];

static void *work(void *lock) {
  for (int i = 0; i < K; i++) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
  }
  return 0;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, work, &locks[i % M]);
  pthread_exit(0);
}
