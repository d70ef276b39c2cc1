// Semaphores and a mutex in memory that processes share.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
  sem_t full, empty;
  pthread_mutex_t mutex;
  int slot, sum;
};

int main(int argc, char **argv) {
  int count = argv[1][0] == 'm' ? 7 : 3;
  struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t attributes;
  if (s == MAP_FAILED || sem_init(&s->full, 1, 0) || sem_init(&s->empty, 1, 1)) return 1;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&s->mutex, &attributes);
  if (!fork()) {
    for (int i = 0; i < count; i++) {
      sem_wait(&s->full);
      pthread_mutex_lock(&s->mutex);
      s->sum += s->slot;
      pthread_mutex_unlock(&s->mutex);
      sem_post(&s->empty);
    }
    _exit(0);
  }
  for (int i = 1; i <= count; i++) {
    sem_wait(&s->empty);
    pthread_mutex_lock(&s->mutex);
    s->slot = i;
    pthread_mutex_unlock(&s->mutex);
    sem_post(&s->full);
  }
  wait(NULL);
  printf("%d\n", s->sum);
  return 0;
}
