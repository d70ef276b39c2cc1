// Thread-local variables in one thread, volatile objects of all sizes, and atomics of odd shapes.
//
// cleave: expect paths=1
// cleave: exit 0
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static _Thread_local int counter = 5;
static _Thread_local char zeroed[100];
_Thread_local struct { int a; double b; } shared_one = {1, 2.5};
static __thread int *to_itself;

static int next(void) {
  static _Thread_local int calls;
  return ++calls * counter;
}

static volatile char vc = 1;
static volatile long long vl = -1;
static volatile struct { int a; short b[3]; } vs = {1, {2, 3, 4}};
static volatile double vd = 0.5;

typedef struct { int x, y; } two;
typedef struct { char c[3]; } three;

int main(void) {
  counter++;
  to_itself = &counter;
  *to_itself += 10;
  memset(zeroed + 10, 'z', 5);
  int printed = printf("%d %d %d %s %g\n", counter, next(), next(), zeroed + 10, shared_one.b);
  errno = 0;
  printf("%d %d\n", printed, errno);
  vc += 127;
  vl *= vc;
  for (int i = 0; i < 3; i++) vs.b[i] = (short)(vs.b[i] + vs.a + vc);
  vd /= 3;
  vd;
  printf("%d %lld %d %d %.17g\n", vc, vl, vs.b[0], vs.b[2], vd);
  _Atomic two pair;
  atomic_init(&pair, ((two){1, 2}));
  two now = atomic_load(&pair);
  now.y = 7;
  two expected = {1, 2};
  int done = atomic_compare_exchange_strong(&pair, &expected, now);
  two after = atomic_exchange(&pair, ((two){0, 0}));
  printf("%d %d %d\n", done, after.x, after.y);
  atomic_short s = 32767;
  atomic_schar c = -128;
  _Atomic double d = 1.5;
  _Atomic _Bool flag = 0;
  s++;
  c--;
  d += 2;
  flag |= 1;
  printf("%d %d %g %d\n", s, c, d, flag);
  _Atomic uint64_t w = 10;
  w *= 7;
  w /= 4;
  w <<= 33;
  printf("%llu %llu\n", (unsigned long long)w, (unsigned long long)atomic_fetch_xor(&w, 1));
  int64_t most = 5;
  printf("%lld ", (long long)__atomic_fetch_max(&most, 9, __ATOMIC_RELAXED));
  printf("%lld ", (long long)__atomic_fetch_min(&most, -3, __ATOMIC_RELAXED));
  printf("%lld %d\n", (long long)most, atomic_is_lock_free(&s));
  atomic_signal_fence(memory_order_acq_rel);
  return 0;
}
