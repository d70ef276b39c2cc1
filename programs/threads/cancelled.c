// Cancellation: where a thread waits, where it asks for it, where it is told at any time, and where it refuses for a while.
//
// cleave: expect paths=1
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int ends[2], cleaned[4];
static volatile int told;

static void clean(void *which) { cleaned[*(int *)which]++; }

static void unlock(void *m) {
  clean(&(int){1});
  pthread_mutex_unlock(m);
}

static void *reads(void *which) {
  char byte;
  pthread_cleanup_push(clean, which);
  read(ends[0], &byte, 1);
  pthread_cleanup_pop(0);
  return 0;
}

static void *waits(void *which) {
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(unlock, &lock);
  for (;;) pthread_cond_wait(&never, &lock);
  pthread_cleanup_pop(0);
  return 0;
}

static void *asks(void *which) {
  pthread_cleanup_push(clean, which);
  for (;;) {
    pthread_testcancel();
    usleep(10);
  }
  pthread_cleanup_pop(0);
  return 0;
}

static void *refuses(void *which) {
  int before;
  pthread_cleanup_push(clean, which);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  while (!told) usleep(100);
  cleaned[3] += 10;
  pthread_setcancelstate(before, 0);
  pthread_testcancel();
  pthread_cleanup_pop(0);
  return 0;
}

int main(void) {
  void *(*works[])(void *) = {reads, waits, asks, refuses};
  int numbers[] = {0, 1, 2, 3}, gone = 0;
  pthread_t threads[4];
  if (pipe(ends)) return 1;
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, works[i], &numbers[i]);
  usleep(100);
  for (int i = 0; i < 4; i++) {
    void *result;
    pthread_cancel(threads[i]);
    told = i == 3;
    pthread_join(threads[i], &result);
    gone += result == PTHREAD_CANCELED;
  }
  printf("%d %d %d %d %d %d\n", gone, cleaned[0], cleaned[1], cleaned[2], cleaned[3], pthread_mutex_trylock(&lock));
  return 0;
}
