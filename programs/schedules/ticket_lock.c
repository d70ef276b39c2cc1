// A ticket lock: who draws first goes first. Each order of the draws counts; a look at the number that is served counts too.
//
// cleave: orders all --races paths=4
// cleave: orders all -DSKIPS failed=4 bug=deadlock
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint drawn, served;
static int count;

static void *work(void *unused) {
  unsigned own = atomic_fetch_add(&drawn, 1);
  while (served != own) {}
  count++; //~ ERROR race
#ifdef SKIPS
  atomic_store(&served, own + 2);
#else
  atomic_store(&served, own + 1);
#endif
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0); //~ ERROR deadlock
  return count != 2;
}
