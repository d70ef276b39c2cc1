// Something is made when it is first asked for: without a lock by two threads at once, with pthread_once or call_once by one.
//
// cleave: orders all --races failed=1 bug=data-race
// cleave: orders all -DONCE --races paths=2
// cleave: orders all -DC11 --races paths=2
#include <pthread.h>
#include <threads.h>

static int value, made;

static void make(void) {
  value = 42;
  made++; //~ ERROR race
}

static void *get(void *unused) {
#if defined(ONCE)
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make);
#elif defined(C11)
  static once_flag once = ONCE_FLAG_INIT;
  call_once(&once, make);
#else
  if (!made) make(); //~ ERROR race
#endif
  return (void *)(long)(value != 42);
}

int main(void) {
  pthread_t threads[2];
  void *bad;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, get, 0);
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], &bad);
    if (bad) return 1;
  }
  return made != 1;
}
