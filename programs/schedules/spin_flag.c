// A spin lock of C11's atomic_flag: N threads count under it. Each order in which they get it counts once, and so does each look at it
// while another one has it.
//
// cleave: orders all -DN=2 -DORDER=memory_order_release --races paths=6
// cleave: orders all -DN=3 -DORDER=memory_order_release paths=186
// cleave: orders all -DN=2 -DORDER=memory_order_relaxed --races failed=8 bug=data-race
// cleave: orders all -DN=2 -DOPEN --races failed=1 bug=data-race
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag taken = ATOMIC_FLAG_INIT;
static int count;

static void *work(void *unused) {
#ifndef OPEN
  while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire)) {}
#endif
  count++; //~ ERROR race
#ifndef OPEN
  atomic_flag_clear_explicit(&taken, ORDER);
#endif
  return 0;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
  return count != N;
}
