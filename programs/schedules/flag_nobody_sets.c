// A thread waits for an atomic flag. Where another one sets it, all is well; where nobody does, it waits for ever.
//
// cleave: orders all -DSETS=1 --races paths=4
// cleave: orders all -DSETS=0 failed=1 bug=deadlock
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;

static void *work(void *sets) {
  if (sets) flag = 1;
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, (void *)SETS);
  while (!flag) sched_yield(); //~ ERROR deadlock
  return pthread_join(thread, 0);
}
