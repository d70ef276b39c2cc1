// Threads that do what the argument says, a word a thread: all final states. Of several arguments an input chooses one.
#include <klee/klee.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static sem_t things;
static unsigned x, y, z, taken, written;
static atomic_uint counter;
static volatile unsigned loose;
static char *words[4];

static void *work(void *which) {
  unsigned own = (char **)which - words + 1;
  for (char *op = *(char **)which; *op; op++) {
    switch (*op) {
    case 'a': pthread_mutex_lock(&a); x = x * 5 + own; pthread_mutex_unlock(&a); break;
    case 'b': pthread_mutex_lock(&b); y = y * 5 + own; pthread_mutex_unlock(&b); break;
    case 'c':
      pthread_mutex_lock(&a);
      pthread_mutex_lock(&b);
      z = z * 7 + x + 3 * y;
      pthread_mutex_unlock(&b);
      pthread_mutex_unlock(&a);
      break;
    case 'd':
      pthread_mutex_lock(&b);
      pthread_mutex_lock(&a);
      z = z * 11 + x + 5 * y;
      pthread_mutex_unlock(&a);
      pthread_mutex_unlock(&b);
      break;
    case 'p': sem_post(&things); break;
    case 't': {
      int got = !sem_trywait(&things);
      pthread_mutex_lock(&a);
      taken = taken * 3 + got + 1;
      pthread_mutex_unlock(&a);
      break;
    }
    case 'w':
      pthread_mutex_lock(&a);
      while (!x) pthread_cond_wait(&changed, &a);
      x += 2;
      pthread_mutex_unlock(&a);
      break;
    case 's': pthread_mutex_lock(&a); x++; pthread_cond_signal(&changed); pthread_mutex_unlock(&a); break;
    case 'l': if (!pthread_mutex_trylock(&b)) { y += 7; pthread_mutex_unlock(&b); } break;
    case 'u': sem_wait(&things); break;
    case 'i': counter++; break;
    case 'j': { unsigned old = counter; counter = old * 3 + own; break; }
    case 'k': { unsigned old = 1; atomic_compare_exchange_strong(&counter, &old, 7 + own); break; }
    case 'h': pthread_mutex_lock(&a); z = z * 3 + counter; pthread_mutex_unlock(&a); break;
    case 'g': while (!counter) {} break;
    case 'v': loose = loose * 3 + own; break;
    case 'r': pthread_rwlock_rdlock(&shared); counter += written; pthread_rwlock_unlock(&shared); break;
    case 'e': pthread_rwlock_wrlock(&shared); written = written * 2 + own; pthread_rwlock_unlock(&shared); break;
    case 'n': pthread_mutex_lock(&a); x++; pthread_cond_broadcast(&changed); pthread_mutex_unlock(&a); break;
    case 'o': printf("%u", own); fflush(stdout); break;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  pthread_t threads[4];
  int count = 0;
  unsigned char which = 1;
  if (argc > 2) {
    klee_make_symbolic(&which, sizeof which, "which");
    int script = 1;
    while (script < argc - 1 && which != script) script++;
    which = script;
    printf("%d:", script);
    fflush(stdout);
  }
  for (char *word = strtok(argv[which], "."); word && count < 4; word = strtok(0, ".")) words[count++] = word;
  for (int i = 0; i < count; i++) pthread_create(&threads[i], 0, work, &words[i]);
  for (int i = 0; i < count; i++) pthread_join(threads[i], 0);
  printf(" %u %u %u %u %u %u %u\n", x, y, z, taken, written, counter, loose);
  return 0;
}
