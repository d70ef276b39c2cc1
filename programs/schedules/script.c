// Threads that do what the argument says, a word a thread: all final states.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t things;
static unsigned x, y, z, taken;
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
    case 'o': printf("%u", own); fflush(stdout); break;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  pthread_t threads[4];
  int count = 0;
  for (char *word = strtok(argv[1], "."); word && count < 4; word = strtok(0, ".")) words[count++] = word;
  for (int i = 0; i < count; i++) pthread_create(&threads[i], 0, work, &words[i]);
  for (int i = 0; i < count; i++) pthread_join(threads[i], 0);
  printf(" %u %u %u %u\n", x, y, z, taken);
  return 0;
}
