// A thread frees what another one still reads: nothing orders the two. Where the object is freed first, that is a use of what is gone.
//
// cleave: orders all --races failed=1 bug=use-after-free
// cleave: orders all -DJOINED --races paths=1
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static int *shared;

static void *work(void *unused) { return (void *)(long)(*shared != 42); } //~ ERROR ptr

int main(void) {
  pthread_t thread;
  void *bad;
  shared = malloc(sizeof *shared);
  *shared = 42;
  pthread_create(&thread, 0, work, 0);
#ifdef JOINED
  pthread_join(thread, &bad);
#endif
#ifdef READ_FIRST
  sched_yield();
#endif
  free(shared); //~ ERROR race
#ifndef JOINED
  pthread_join(thread, &bad);
#endif
  return bad != 0;
}
