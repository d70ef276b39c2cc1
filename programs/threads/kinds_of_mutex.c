// What the kinds of mutexes say to who locks them twice, or unlocks what another thread has locked.
//
// cleave: expect paths=2 failed=2
// cleave: args --sym-arg 1
// cleave: bug deadlock
// cleave: bug bad_unlock
// cleave: says another thread has locked
// cleave: says holds the mutex
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex;

static void *unlock(void *unused) {
  return (void *)(long)pthread_mutex_unlock(&mutex); //~ ERROR bad_unlock
}

int main(int argc, char **argv) {
  pthread_mutexattr_t kind;
  pthread_t thread;
  void *unlocked;
  pthread_mutexattr_init(&kind);
  int recursive = argv[1][0] == 'r';
  if (recursive) pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  else if (argv[1][0] != 'l' && argv[1][0] != 'u') pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &kind);
  pthread_mutex_lock(&mutex);
  int again = argv[1][0] == 'u' ? 0 : pthread_mutex_lock(&mutex); //~ ERROR deadlock
  if (recursive) pthread_mutex_unlock(&mutex);
  pthread_create(&thread, 0, unlock, 0);
  pthread_join(thread, &unlocked);
  printf("%d %d\n", again == EDEADLK, unlocked == (void *)EPERM);
  return pthread_mutex_unlock(&mutex);
}
