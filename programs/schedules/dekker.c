// Dekker's algorithm for two threads: who wants to go in too but has not the turn steps back.
//
// cleave: orders all --races paths=32
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int inside;

static void *work(void *which) {
  int own = (int)(long)which, other = 1 - own;
  wants[own] = 1;
  while (wants[other]) {
    if (turn != own) {
      wants[own] = 0;
      while (turn != own) {}
      wants[own] = 1;
    }
  }
  assert(!inside++);
  inside--;
  turn = other;
  wants[own] = 0;
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
