// What each thread has of its own: a thread-local variable, a key with a destructor; and what happens once for all.
//
// cleave: expect paths=1
// cleave: args --sym-arg 1
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static _Thread_local int mine = 7;
static __thread char text[8] = "local";
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int begun, destroyed;
static int *first_mine;

static void destroy(void *value) {
  destroyed += *(int *)value;
  free(value);
}

static void begin(void) {
  begun++;
  pthread_key_create(&key, destroy);
}

static void *work(void *number) {
  int *value = malloc(sizeof *value);
  pthread_once(&once, begin);
  if (!value) return (void *)1;
  *value = *(int *)number;
  pthread_setspecific(key, value);
  mine += *(int *)number;
  text[0] = 'L';
  errno = 0;
  close(-1);
  int error = errno;
  int *seen = pthread_getspecific(key);
  *first_mine += 1;
  return (void *)(long)(mine * 100 + *seen + (error == EBADF) + (&mine == first_mine) * 1000);
}

int main(int argc, char **argv) {
  int numbers[] = {argv[1][0] == 'x' ? 10 : 20, 30};
  pthread_t threads[2];
  void *results[2];
  errno = 0;
  first_mine = &mine;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, &numbers[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], &results[i]);
  printf("%ld %ld %d %d %d %s %d\n", (long)results[0], (long)results[1], mine, begun, destroyed, text, errno);
  return 0;
}
