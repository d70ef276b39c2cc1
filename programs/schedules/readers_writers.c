// Readers and a writer with three semaphores. All pass a turnstile, so that no stream of readers keeps the writer out.
//
// cleave: orders all --races paths=12
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t turnstile, room, counting;
static int readers, value;

static void *read_it(void *unused) {
  sem_wait(&turnstile);
  sem_post(&turnstile);
  sem_wait(&counting);
  if (++readers == 1) sem_wait(&room);
  sem_post(&counting);
  assert(value % 2 == 0);
  sem_wait(&counting);
  if (--readers == 0) sem_post(&room);
  sem_post(&counting);
  return 0;
}

static void *write_it(void *unused) {
  sem_wait(&turnstile);
  sem_wait(&room);
  value++;
  value++;
  sem_post(&turnstile);
  sem_post(&room);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  sem_init(&turnstile, 0, 1);
  sem_init(&room, 0, 1);
  sem_init(&counting, 0, 1);
  pthread_create(&threads[0], 0, read_it, 0);
  pthread_create(&threads[1], 0, write_it, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return value != 2;
}
