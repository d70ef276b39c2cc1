// C11's mutexes and conditions: N threads count under a lock in any order; a thread waits for a condition.
//
// cleave: orders all -DN=2 --races paths=2
// cleave: orders all -DN=3 --races paths=6
// cleave: orders all -DN=2 -DWAITS --races paths=36
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int count;

static int work(void *unused) {
  mtx_lock(&lock);
  count++;
  cnd_signal(&changed);
  mtx_unlock(&lock);
  return 7;
}

int main(void) {
  thrd_t threads[N];
  int result;
  mtx_init(&lock, mtx_plain);
  cnd_init(&changed);
  for (int i = 0; i < N; i++) thrd_create(&threads[i], work, 0);
#ifdef WAITS
  mtx_lock(&lock);
  while (count < N) cnd_wait(&changed, &lock);
  mtx_unlock(&lock);
#endif
  for (int i = 0; i < N; i++) {
    thrd_join(threads[i], &result);
    if (result != 7) return 1;
  }
  return count != N;
}
