// Dining philosophers who all take the fork at their own place first. Each of N forks goes to one of two first, which makes 2^N
// paths; in two of these all go the same way round. One of the two is impossible, as all take their own first, and the other deadlocks.
//
// cleave: orders all -DN=2 paths=2 failed=1 bug=deadlock
// cleave: orders all -DN=3 paths=6 failed=1 bug=deadlock
// cleave: orders all -DN=4 paths=14 failed=1 bug=deadlock
#include <pthread.h>

static pthread_mutex_t forks[N];

static void *dine(void *fork) {
  int own = (pthread_mutex_t *)fork - forks, next = (own + 1) % N;
  pthread_mutex_lock(&forks[own]);
  pthread_mutex_lock(&forks[next]);
  pthread_mutex_unlock(&forks[next]);
  pthread_mutex_unlock(&forks[own]);
  return 0;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, dine, &forks[i]);
  for (int i = 0; i < N; i++) pthread_join(threads[i], 0); //~ ERROR deadlock
  return 0;
}
