// A thread that must not be cancelled waits in a read: the call goes on as if nothing had been. Later it lets itself be cancelled.
// A mutex whose holder inherits priorities is a mutex.
//
// cleave: expect paths=1
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];
static pthread_mutex_t lock;

static void *work(void *unused) {
  char byte;
  int old;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  long got = read(ends[0], &byte, 1);
  pthread_mutex_lock(&lock);
  printf("%ld %c\n", got, byte);
  pthread_mutex_unlock(&lock);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
  pthread_testcancel();
  printf("not cancelled\n");
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_mutexattr_t inherits;
  void *result;
  int protocol;
  pthread_mutexattr_init(&inherits);
  if (pthread_mutexattr_setprotocol(&inherits, PTHREAD_PRIO_INHERIT)) return 1;
  if (pthread_mutexattr_getprotocol(&inherits, &protocol) || protocol != PTHREAD_PRIO_INHERIT) return 2;
  if (pthread_mutexattr_setprotocol(&inherits, 7) != EINVAL) return 3;
  if (pthread_mutex_init(&lock, &inherits)) return 4;
  if (pipe(ends)) return 5;
  pthread_create(&thread, 0, work, 0);
  usleep(1000);
  pthread_cancel(thread);
  usleep(1000);
  if (write(ends[1], "x", 1) != 1) return 6;
  pthread_join(thread, &result);
  printf("%d\n", result == PTHREAD_CANCELED);
  return pthread_mutex_destroy(&lock);
}
