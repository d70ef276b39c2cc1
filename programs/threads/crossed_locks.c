// Each of two threads holds the lock that the other one wants: a meeting between the two locks makes sure of it.
//
// cleave: expect paths=1 failed=1
// cleave: args --sym-arg 1
// cleave: bug deadlock
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t meeting;
static int crossed;

static void *work(void *which) {
  int first = which ? crossed : 0;
  pthread_mutex_lock(&locks[first]);
  if (crossed) pthread_barrier_wait(&meeting);
  pthread_mutex_lock(&locks[!first]);
  pthread_mutex_unlock(&locks[!first]);
  pthread_mutex_unlock(&locks[first]);
  return 0;
}

int main(int argc, char **argv) {
  pthread_t a, b;
  crossed = argv[1][0] == 'd';
  pthread_barrier_init(&meeting, 0, 2);
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, &crossed);
  pthread_join(a, 0); //~ ERROR deadlock
  pthread_join(b, 0);
  return 0;
}
