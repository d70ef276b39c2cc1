// A condition that is signalled before anybody waits for it, and that nobody looks at: the signal is lost.
//
// cleave: expect paths=1 failed=1
// cleave: args --sym-arg 1
// cleave: bug deadlock
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_ready, looks;

static void *prepare(void *unused) {
  pthread_mutex_lock(&lock);
  is_ready = 1;
  pthread_cond_signal(&ready);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(int argc, char **argv) {
  pthread_t thread;
  looks = argv[1][0] != 'n';
  pthread_create(&thread, 0, prepare, 0);
  if (!looks) pthread_join(thread, 0);
  pthread_mutex_lock(&lock);
  while (looks ? !is_ready : 1) pthread_cond_wait(&ready, &lock); //~ ERROR deadlock
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  return 0;
}
