// A pointer to a variable of a thread that has ended.
//
// cleave: expect paths=1 failed=1
// cleave: args --sym-arg 1
#include <pthread.h>
#include <stdio.h>

static int *kept;

static void *work(void *value) {
  int own = *(int *)value + 1, *volatile leak = &own;
  kept = leak;
  *(int *)value = *kept;
  return 0;
}

int main(int argc, char **argv) {
  pthread_t thread;
  int value = 4;
  pthread_create(&thread, 0, work, &value);
  pthread_join(thread, 0);
  if (argv[1][0] == 'u') value += *kept; //~ ERROR use-after-return
  printf("%d\n", value);
  return 0;
}
