// A sequence lock: the reader looks at a number before and behind, and begins again where it is odd or another. Who does not look
// behind may read half of a change.
//
// cleave: orders all --races paths=20
// cleave: orders all -DTRUSTS paths=5 failed=3 bug=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint number, a, b;

static void *change(void *unused) {
  number++;
  a = 1;
  b = 1;
  number++;
  return 0;
}

int main(void) {
  pthread_t thread;
  unsigned before, x, y;
  pthread_create(&thread, 0, change, 0);
  do {
    while ((before = number) & 1) {}
    x = a;
    y = b;
  } while (
#ifdef TRUSTS
    0
#else
    number != before
#endif
  );
  assert(x == y); //~ ERROR assert
  return pthread_join(thread, 0);
}
