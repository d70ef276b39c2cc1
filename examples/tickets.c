// Two counters sell the last ticket. Each access is atomic, so there is no data race. Is each ticket sold once?
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int tickets = 1, sold;

static void *counter(void *unused) {
  if (tickets > 0) { // between this look ...
    tickets--;       // ... and this sale the other counter may sell
    sold++;
  }
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, counter, NULL);
  counter(NULL);
  pthread_join(other, NULL);
  assert(sold == 1);
  return 0;
}
