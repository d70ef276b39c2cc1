// Five philosophers, of whom one takes the other fork first: all eat.
//
// cleave: expect paths=1
#include <pthread.h>
#include <stdio.h>

enum { SEATS = 5 };
static pthread_mutex_t forks[SEATS];
static int eaten[SEATS];

static void *dine(void *seat) {
  int own = (int)((pthread_mutex_t *)seat - forks), next = (own + 1) % SEATS;
  int low = own < next ? own : next, high = own + next - low;
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&forks[low]);
    pthread_mutex_lock(&forks[high]);
    eaten[own]++;
    pthread_mutex_unlock(&forks[high]);
    pthread_mutex_unlock(&forks[low]);
  }
  return 0;
}

int main(void) {
  pthread_t threads[SEATS];
  for (int i = 0; i < SEATS; i++) pthread_mutex_init(&forks[i], 0);
  for (int i = 0; i < SEATS; i++) pthread_create(&threads[i], 0, dine, &forks[i]);
  for (int i = 0; i < SEATS; i++) pthread_join(threads[i], 0);
  for (int i = 0; i < SEATS; i++) printf("%d", eaten[i]);
  printf("\n");
  return 0;
}
