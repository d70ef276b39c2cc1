// A thread is cancelled where it waits for a condition, or before: it has the lock then, and must give it back.
//
// cleave: orders all --races paths=19
// cleave: orders all -DFORGETS failed=15 bug=deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void unlock(void *mutex) { pthread_mutex_unlock(mutex); }

static void *wait_for_it(void *unused) {
  pthread_mutex_lock(&lock);
#ifdef FORGETS
  pthread_cond_wait(&never, &lock);
#else
  pthread_cleanup_push(unlock, &lock);
  pthread_cond_wait(&never, &lock);
  pthread_cleanup_pop(0);
#endif
  return 0;
}

int main(void) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, 0, wait_for_it, 0);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  pthread_mutex_lock(&lock); //~ ERROR deadlock
  pthread_mutex_unlock(&lock);
  return result != PTHREAD_CANCELED;
}
