// Readers share a lock, a writer has it alone; trying says who is there.
//
// cleave: expect paths=1
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value, seen[2];

static void *reads(void *where) {
  pthread_rwlock_rdlock(&lock);
  *(int *)where = value;
  pthread_rwlock_unlock(&lock);
  return 0;
}

static void *tries(void *unused) {
  struct timespec soon;
  long result = pthread_rwlock_tryrdlock(&lock) == EBUSY;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_nsec = (soon.tv_nsec + 1000000) % 1000000000;
  result = result * 2 + (pthread_rwlock_timedwrlock(&lock, &soon) == ETIMEDOUT);
  return (void *)result;
}

int main(void) {
  pthread_t readers[2], other;
  void *tried;
  pthread_rwlock_wrlock(&lock);
  for (int i = 0; i < 2; i++) pthread_create(&readers[i], 0, reads, &seen[i]);
  pthread_create(&other, 0, tries, 0);
  pthread_join(other, &tried);
  value = 5;
  pthread_rwlock_unlock(&lock);
  for (int i = 0; i < 2; i++) pthread_join(readers[i], 0);
  pthread_rwlock_rdlock(&lock);
  int shared = pthread_rwlock_tryrdlock(&lock), alone = pthread_rwlock_trywrlock(&lock);
  printf("%d %d %d %d %d\n", seen[0], seen[1], (int)(long)tried, shared, alone == EBUSY);
  return 0;
}
