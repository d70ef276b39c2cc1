// A child that one of two threads makes has that thread alone, with its variables.
//
// cleave: expect paths=1
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int own = 1;
static int shared;

static void *add(void *unused) {
  shared++;
  return 0;
}

static void *forks(void *unused) {
  int status;
  pthread_t thread;
  own = 5;
  pthread_mutex_lock(&lock);
  pid_t child = fork();
  if (!child) {
    shared += own;
    pthread_mutex_unlock(&lock);
    pthread_create(&thread, 0, add, 0);
    pthread_join(thread, 0);
    _exit(shared);
  }
  pthread_mutex_unlock(&lock);
  waitpid(child, &status, 0);
  return (void *)(long)WEXITSTATUS(status);
}

int main(void) {
  pthread_t thread;
  void *status;
  pthread_create(&thread, 0, forks, 0);
  pthread_join(thread, &status);
  printf("%ld %d %d\n", (long)status, shared, own);
  return 0;
}
