// Producer and consumer with a buffer of two places: each waits for the other on a condition.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <pthread.h>
#include <stdio.h>

enum { PLACES = 2, THINGS = 6 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int buffer[PLACES], first, filled;

static void *produce(void *start) {
  for (int i = 0; i < THINGS; i++) {
    pthread_mutex_lock(&lock);
    while (filled == PLACES) pthread_cond_wait(&not_full, &lock);
    buffer[(first + filled++) % PLACES] = *(int *)start + i;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

static void *consume(void *unused) {
  long sum = 0;
  for (int i = 0; i < THINGS; i++) {
    pthread_mutex_lock(&lock);
    while (!filled) pthread_cond_wait(&not_empty, &lock);
    sum = sum * 3 + buffer[first];
    first = (first + 1) % PLACES;
    filled--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
  }
  return (void *)sum;
}

int main(int argc, char **argv) {
  int start = argv[1][0] == '!' ? 100 : 1;
  pthread_t producer, consumer;
  void *sum;
  pthread_create(&consumer, 0, consume, 0);
  pthread_create(&producer, 0, produce, &start);
  pthread_join(producer, 0);
  pthread_join(consumer, &sum);
  printf("%ld\n", (long)sum);
  return 0;
}
