// A reader that wants to write while it reads waits for itself, or two of them for each other. Who gives the lock back first does not.
//
// cleave: orders all --races failed=70 bug=deadlock
// cleave: orders all -DGIVES_BACK --races paths=726
// cleave: orders all -DWRITES --races failed=17 bug=data-race
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *work(void *unused) {
  pthread_rwlock_rdlock(&lock);
  int old = value; //~ ERROR race
#ifdef GIVES_BACK
  pthread_rwlock_unlock(&lock);
#endif
#ifdef WRITES
  value = old + 1; //~ ERROR race
#else
  pthread_rwlock_wrlock(&lock); //~ ERROR deadlock
  value = old + 1;
#endif
  pthread_rwlock_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0); //~ ERROR deadlock
  return 0;
}
