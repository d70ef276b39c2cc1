// Two threads count without a lock, with one, or atomically.
//
// cleave: orders all --races failed=1 bug=data-race
// cleave: orders all -DLOCKED --races paths=2
// cleave: orders all -DATOMIC --races paths=2
// cleave: orders every -DATOMIC --races paths=10
// cleave: orders all -DCOPIED --races failed=1 bug=data-race
// cleave: orders all -DCOPIED -DLOCKED --races paths=2
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#ifdef ATOMIC
static atomic_int count;
#else
static int count;
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
#ifdef LOCKED
  pthread_mutex_lock(&lock);
#endif
#ifdef COPIED
  int own;
  memcpy(&own, &count, sizeof own); //~ ERROR race
  own++;
  memcpy(&count, &own, sizeof own);
#else
  count++; //~ ERROR race
#endif
#ifdef LOCKED
  pthread_mutex_unlock(&lock);
#endif
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return count != 2;
}
