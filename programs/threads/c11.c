// Threads, mutexes, conditions and storage of C11.
//
// cleave: expect paths=1
#include <stdatomic.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t changed;
static atomic_int arrived;
static int stage;
static thread_local int own;

static int work(void *number) {
  own += *(int *)number;
  atomic_fetch_add(&arrived, 1);
  mtx_lock(&lock);
  while (stage != *(int *)number) cnd_wait(&changed, &lock);
  stage++;
  cnd_broadcast(&changed);
  mtx_unlock(&lock);
  return own * 2;
}

int main(void) {
  int numbers[] = {2, 1, 0}, results[3];
  thrd_t threads[3];
  struct timespec soon;
  mtx_init(&lock, mtx_plain);
  cnd_init(&changed);
  for (int i = 0; i < 3; i++) thrd_create(&threads[i], work, &numbers[i]);
  for (int i = 0; i < 3; i++) thrd_join(threads[i], &results[i]);
  timespec_get(&soon, TIME_UTC);
  mtx_lock(&lock);
  int late = cnd_timedwait(&changed, &lock, &soon);
  printf("%d %d %d %d %d %d\n", results[0], results[1], results[2], arrived, stage, late == thrd_timedout);
  return 0;
}
