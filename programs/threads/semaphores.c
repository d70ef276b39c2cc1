// Two threads take turns by semaphores.
//
// cleave: expect paths=1
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t turns[2];
static char order[16];
static int at;

static void *play(void *which) {
  int own = *(int *)which;
  for (int i = 0; i < 4; i++) {
    sem_wait(&turns[own]);
    order[at++] = "ab"[own];
    sem_post(&turns[!own]);
  }
  return 0;
}

int main(void) {
  int numbers[] = {0, 1}, left;
  pthread_t threads[2];
  sem_init(&turns[0], 0, 0);
  sem_init(&turns[1], 0, 1);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, play, &numbers[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  sem_getvalue(&turns[1], &left);
  printf("%s %d\n", order, left);
  return 0;
}
