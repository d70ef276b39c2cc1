// Peterson's algorithm for two threads, with atomic or volatile variables. Without the turn both may wait for ever; who looks first
// and says afterwards that it comes may meet the other inside.
//
// cleave: orders all --races paths=24
// cleave: orders 1 paths=19
// cleave: orders all -DSEEN paths=24
// cleave: orders all -DNO_TURN --races paths=6 failed=1 bug=deadlock
// cleave: orders all -DLATE --races paths=6 failed=2 bug=data-race
// cleave: orders all -DLATE -DSEEN paths=8 failed=2 bug=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef WORD
#define WORD atomic_int
#endif

static WORD wants[2], turn;
#ifdef SEEN
static atomic_int inside;
#else
static int inside;
#endif

static void *work(void *which) {
  int own = (int)(long)which, other = 1 - own;
#ifdef LATE
  while (wants[other]) {}
  wants[own] = 1;
#else
  wants[own] = 1;
#ifdef NO_TURN
  while (wants[other]) {}
#else
  turn = other;
  while (wants[other] && turn == other) {}
#endif
#endif
  int others = inside++; //~ ERROR race
  assert(!others); //~ ERROR assert
  inside--;
  wants[own] = 0;
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0); //~ ERROR deadlock
  return 0;
}
