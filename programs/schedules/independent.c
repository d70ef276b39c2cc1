// N threads of K steps that concern nobody else: all orders of their K + 1 parts, or one where those that are alike count once.
//
// cleave: orders every -DN=2 -DK=1 paths=6
// cleave: orders every -DN=2 -DK=2 paths=20
// cleave: orders every -DN=3 -DK=1 paths=90
// cleave: orders all -DN=2 -DK=2 paths=1
// cleave: orders all -DN=3 -DK=3 paths=1
// cleave: orders 0 -DN=2 -DK=2 paths=2
// cleave: orders 1 -DN=2 -DK=2 paths=6
// cleave: orders 2 -DN=2 -DK=2 paths=14
// cleave: orders 3 -DN=2 -DK=2 paths=18
// cleave: orders 4 -DN=2 -DK=2 paths=20
#include <pthread.h>
#include <semaphore.h>

static sem_t own[N];

static void *work(void *semaphore) {
  for (int i = 0; i < K; i++) sem_post(semaphore);
  return 0;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) sem_init(&own[i], 0, 0);
  for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, work, &own[i]);
  pthread_exit(0);
}
