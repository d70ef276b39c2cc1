// Waits that nobody can end, locks that are used against their contract, and beside them what POSIX allows.
//
// cleave: bug deadlock
// cleave: bug contract
#include <errno.h>
#include <klee/klee.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;

static pthread_mutex_t *of_type(int type) {
  static pthread_mutex_t made;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutex_init(&made, &attributes);
  return &made;
}

static int allowed(int which) {
  const struct timespec second = {1, 0};
  pthread_mutex_t *m;
  sigset_t set;
  int ends[2];
  char byte = 0;
  switch (which) {
  case 0:
    return pthread_mutex_lock(&mutex) || pthread_mutex_trylock(&mutex) != EBUSY || pthread_mutex_unlock(&mutex);
  case 1:
    m = of_type(PTHREAD_MUTEX_ERRORCHECK);
    if (pthread_mutex_unlock(m) != EPERM || pthread_mutex_lock(m) || pthread_mutex_lock(m) != EDEADLK) return 1;
    return pthread_mutex_unlock(m) || pthread_mutex_unlock(m) != EPERM || pthread_mutex_destroy(m);
  case 2:
    m = of_type(PTHREAD_MUTEX_RECURSIVE);
    if (pthread_mutex_lock(m) || pthread_mutex_lock(m) || pthread_mutex_unlock(m)) return 1;
    return pthread_mutex_unlock(m) || pthread_mutex_unlock(m) != EPERM || pthread_mutex_destroy(m);
  case 3:
    pthread_mutex_lock(&mutex);
    if (pthread_mutex_timedlock(&mutex, &second) != ETIMEDOUT) return 1;
    return pthread_cond_timedwait(&condition, &mutex, &second) != ETIMEDOUT || pthread_mutex_unlock(&mutex);
  case 4:
    return pipe(ends) || write(ends[1], "x", 1) != 1 || read(ends[0], &byte, 1) != 1 || byte != 'x';
  case 5:
    return pipe(ends) || close(ends[1]) || read(ends[0], &byte, 1) != 0;
  case 6:
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    return sigtimedwait(&set, 0, &second) != -1 || errno != EAGAIN;
  case 7:
    if (pthread_rwlock_rdlock(&lock) || pthread_rwlock_rdlock(&lock)) return 1;
    return pthread_rwlock_unlock(&lock) || pthread_rwlock_unlock(&lock) || pthread_rwlock_wrlock(&lock);
  default:
    pthread_spin_init(&spin, 0);
    return pthread_spin_lock(&spin) || pthread_spin_trylock(&spin) != EBUSY || pthread_spin_unlock(&spin);
  }
}

int main(void) {
  unsigned char which;
  int ends[2];
  char byte;
  klee_make_symbolic(&which, sizeof which, "which");
  switch (which) {
  case 10:
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex); //~ ERROR deadlock
    break;
  case 11:
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex); //~ ERROR deadlock
    break;
  case 12:
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock); //~ ERROR deadlock
    break;
  case 13:
    pthread_spin_init(&spin, 0);
    pthread_spin_lock(&spin);
    pthread_spin_lock(&spin); //~ ERROR deadlock
    break;
  case 14:
    if (pipe(ends)) return 1;
    return read(ends[0], &byte, 1) == 1; //~ ERROR deadlock
  case 15:
    pause(); //~ ERROR deadlock
    break;
  case 16: {
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    sem_wait(&semaphore);
    sem_wait(&semaphore); //~ ERROR deadlock
    break;
  }
  case 17: {
    sigset_t none;
    sigemptyset(&none);
    sigsuspend(&none); //~ ERROR deadlock
    break;
  }
  case 20:
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex); //~ ERROR contract
    break;
  case 21:
    pthread_mutex_lock(&mutex);
    pthread_mutex_destroy(&mutex); //~ ERROR contract
    break;
  case 22:
    pthread_rwlock_unlock(&lock); //~ ERROR contract
    break;
  default:
    for (int i = 0; i < 9; i++)
      if (which == i) return allowed(i) ? 100 + i : 0;
  }
  return 0;
}
