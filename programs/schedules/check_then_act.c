// Each look and each change is under the lock, but not the two together: two threads may both take the last thing.
// That is so in four orders of the four looks and changes. A path ends there, so it also counts whether main has met the first thread
// before, which is possible in two of them.
//
// cleave: orders all paths=2 failed=6 bug=assertion
// cleave: bug assert
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int things = 1;

static void *take(void *unused) {
  pthread_mutex_lock(&lock);
  int some = things > 0;
  pthread_mutex_unlock(&lock);
  if (!some) return 0;
  pthread_mutex_lock(&lock);
  assert(--things >= 0); //~ ERROR assert
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, take, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
