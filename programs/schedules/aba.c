// A stack without locks. One thread pops; in between another one pops two nodes and pushes the first again: its top looks as before, but
// the node behind it is in use. A number beside the top tells the two apart.
//
// cleave: orders all paths=65 failed=38 bug=assertion,data-race
// cleave: orders all -DNUMBERED paths=66 failed=37 bug=data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int next[3] = { 0, 0, 1 };
static atomic_uint top = 2;
static int users[3];

#ifdef NUMBERED
#define NEW(old, node) ((((old) >> 8) + 1) << 8 | (node))
#else
#define NEW(old, node) (node)
#endif

static unsigned pop(void) {
  unsigned old = top;
  while ((old & 255) && !atomic_compare_exchange_strong(&top, &old, NEW(old, next[old & 255]))) {} //~ ERROR race
  return old & 255;
}

static void push(unsigned node) {
  unsigned old = top;
  do next[node] = old & 255; //~ ERROR race
  while (!atomic_compare_exchange_strong(&top, &old, NEW(old, node)));
}

static void take(unsigned node) {
  if (node) assert(++users[node] == 1); //~ ERROR assert
}

static void *one(void *unused) {
  take(pop());
  take(pop());
  return 0;
}

static void *other(void *unused) {
  unsigned first = pop();
  take(pop());
  if (first) push(first);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, one, 0);
  pthread_create(&threads[1], 0, other, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
