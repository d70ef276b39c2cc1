// Values of two threads under one key are given to a destructor when each ends: one after the other, in any order.
//
// cleave: orders all --races paths=10
// cleave: orders all -DOPEN --races failed=4 bug=data-race
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static __thread int own;

static void add(void *value) {
#ifndef OPEN
  pthread_mutex_lock(&lock);
#endif
  sum = sum * 10 + *(int *)value + own; //~ ERROR race
#ifndef OPEN
  pthread_mutex_unlock(&lock);
#endif
  free(value);
}

static void *work(void *which) {
  int *value = malloc(sizeof *value);
  own = 2 * (int)(long)which;
  *value = (int)(long)which - own;
  pthread_setspecific(key, value);
  own = 0;
  *value = (int)(long)which;
  return 0;
}

int main(void) {
  pthread_t threads[2];
  pthread_key_create(&key, add);
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, (void *)(i + 1));
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return sum != 12 && sum != 21;
}
