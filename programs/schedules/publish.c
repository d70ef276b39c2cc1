// A thread writes a message and says by a flag that it is there. Only a flag that releases and acquires, by itself or by fences, orders
// the two; a volatile one does not.
//
// cleave: orders all -DVOLATILE --races failed=3 bug=data-race
// cleave: orders all -DVOLATILE paths=3 failed=6 bug=data-race
// cleave: orders all -DRELEASE=memory_order_release -DACQUIRE=memory_order_acquire --races paths=3
// cleave: orders all -DRELEASE=memory_order_relaxed -DACQUIRE=memory_order_relaxed --races failed=3 bug=data-race
// cleave: orders all -DFENCES -DRELEASE=memory_order_relaxed -DACQUIRE=memory_order_relaxed --races paths=3
#include <pthread.h>
#include <stdatomic.h>

#ifdef VOLATILE
static volatile int ready;
#define SAY() (ready = 1)
#define HEARD() ready
#else
static atomic_int ready;
#define SAY() atomic_store_explicit(&ready, 1, RELEASE)
#define HEARD() atomic_load_explicit(&ready, ACQUIRE)
#endif
static int message;

static void *send(void *unused) {
  message = 42;
#ifdef FENCES
  atomic_thread_fence(memory_order_release);
#endif
  SAY(); //~ ERROR race
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, send, 0);
  while (!HEARD()) {} //~ ERROR race
#ifdef FENCES
  atomic_thread_fence(memory_order_acquire);
#endif
  if (message != 42) return 1; //~ ERROR race
  return pthread_join(thread, 0);
}
