// Double-checked locking: the first look is without the lock. It must be atomic, and acquire what was released.
//
// cleave: orders all --races failed=3 bug=data-race
// cleave: orders all -DRIGHT --races paths=4
// cleave: orders all -DRELAXED --races paths=2 failed=4 bug=data-race
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef RIGHT
static _Atomic(int *) made;
#define LOOK() atomic_load_explicit(&made, memory_order_acquire)
#define PUBLISH(p) atomic_store_explicit(&made, p, memory_order_release)
#elif defined(RELAXED)
static _Atomic(int *) made;
#define LOOK() atomic_load_explicit(&made, memory_order_relaxed)
#define PUBLISH(p) atomic_store_explicit(&made, p, memory_order_relaxed)
#else
static int *made;
#define LOOK() made
#define PUBLISH(p) (made = (p))
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int *get(void) {
  int *found = LOOK(); //~ ERROR race
  if (found) return found;
  pthread_mutex_lock(&lock);
  found = LOOK();
  if (!found) {
    found = malloc(sizeof *found);
    *found = 42;
    PUBLISH(found); //~ ERROR race
  }
  pthread_mutex_unlock(&lock);
  return found;
}

static void *use(void *unused) { return (void *)(long)(*get() != 42); } //~ ERROR race

int main(void) {
  pthread_t threads[2];
  void *bad;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, use, 0);
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], &bad);
    if (bad) return 1;
  }
  return 0;
}
