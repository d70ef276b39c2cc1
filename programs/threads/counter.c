// Two threads count under a mutex; how far, the input says.
//
// cleave: expect paths=3
// cleave: args --sym-arg 1
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *times) {
  for (int i = 0; i < *(int *)times; i++) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
  }
  return times;
}

int main(int argc, char **argv) {
  int times = argv[1][0] == 'a' ? 1 : argv[1][0] == 'b' ? 5 : 3;
  pthread_t a, b;
  void *result;
  if (pthread_create(&a, 0, add, &times) || pthread_create(&b, 0, add, &times)) return 1;
  if (pthread_join(a, &result) || result != &times) return 2;
  if (pthread_join(b, 0)) return 3;
  printf("%d\n", count);
  return count;
}
