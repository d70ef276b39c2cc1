// Two threads wait for each other's flag without the C library, in the fixed order: who spins makes way until the flag is set.
//
// cleave: expect paths=3
// cleave: args --sym-arg 1
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int asked;
static volatile int answered;
static int rounds, seen;

static void *answer(void *unused) {
  for (int round = 1; round <= rounds; round++) {
    while (asked != round) {}
    seen += round;
    answered = round;
  }
  return unused;
}

int main(int argc, char **argv) {
  pthread_t thread;
  rounds = argv[1][0] == 'a' ? 1 : argv[1][0] == 'b' ? 4 : 2;
  if (pthread_create(&thread, 0, answer, 0)) return 1;
  for (int round = 1; round <= rounds; round++) {
    asked = round;
    while (answered != round) {}
  }
  if (pthread_join(thread, 0)) return 2;
  printf("%d %d\n", rounds, seen);
  return seen != rounds * (rounds + 1) / 2;
}
