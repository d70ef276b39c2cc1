// Random scripts of futex and pthread calls on three threads: `scripts SEED COUNT [VERBOSE]` prints what each script's calls gave, as
// a number or line by line. A director says which thread makes which call, and waits until that has returned or sleeps: so the
// results are the same whatever order the threads have natively.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3, STEPS = 40, WORDS = 3, OBJECTS = 3 };
enum { FUTEX_WAIT, FUTEX_WAKE, FUTEX_REQUEUE = 3, FUTEX_CMP_REQUEUE, FUTEX_WAIT_BITSET = 9, FUTEX_WAKE_BITSET };
enum { FUTEX_PRIVATE_FLAG = 128, FUTEX_CLOCK_REALTIME = 256 };
enum { PLAIN, RECURSIVE, CHECKED };

typedef struct {
  int call, object, other, number, flag;
} Step;

static pthread_t threads[THREADS];
static sem_t go[THREADS], done, returned;
static Step orders[THREADS];
static int over;
// What a thread's call gave; whether it still sleeps.
static long result[THREADS];
static int asleep[THREADS];

static uint32_t word[WORDS];
static pthread_mutex_t mutex[OBJECTS], gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wakes = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock[OBJECTS];
static sem_t sem[OBJECTS];
static pthread_spinlock_t spin;
static pthread_key_t key;
static pthread_once_t once;
static int ran;
// What the director remembers, so that no call is made that POSIX leaves undefined or that waits for ever.
static int owner[OBJECTS], depth[OBJECTS], readers[OBJECTS][THREADS], writer[OBJECTS], spins;

static uint64_t state;
static unsigned below(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 33) % n;
}

static long futex(uint32_t *at, int op, uint32_t value, const void *time, uint32_t *other, uint32_t bits) {
  long result = syscall(SYS_futex, at, op, value, time, other, bits);
  return result < 0 ? -errno : result;
}

static struct timespec moment(clockid_t clock, long nanoseconds) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += nanoseconds;
  if (t.tv_nsec < 0) t.tv_sec--, t.tv_nsec += 1000000000;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

static void note(void) { ran++; }

enum {
  WAIT, WAIT_BITS, WAIT_OTHER, WAIT_SHORT, WAIT_MOMENT, WAKE, WAKE_BITS, REQUEUE, CMP_REQUEUE, SET_WORD, BAD,
  COND_WAIT, COND_SIGNAL, COND_BROADCAST, COND_TIMED,
  LOCK, TRYLOCK, TIMEDLOCK, UNLOCK, TRYREAD, TRYWRITE, TIMEDREAD, TIMEDWRITE, RELEASE,
  POST, TRYWAIT, VALUE, TIMEDWAIT, SPIN, UNSPIN, SPECIFIC, ONCE, CANCEL, SELF, CALLS
};

// Calls that do not sleep, or not for long.
static long quick(Step s, int me) {
  int own = s.flag & 1 ? FUTEX_PRIVATE_FLAG : 0, value;
  struct timespec brief = {0, 1000000}, past = moment(CLOCK_REALTIME, -1000000);
  uint32_t *at = &word[s.object], *to = &word[s.other];
  switch (s.call) {
    case WAIT_OTHER: return futex(at, FUTEX_WAIT | own, *at + 1, 0, 0, 0);
    case WAIT_SHORT: return futex(at, FUTEX_WAIT | own, *at, &brief, 0, 0);
    case WAIT_MOMENT: {
      int real = s.flag & 2 ? FUTEX_CLOCK_REALTIME : 0;
      struct timespec soon = moment(real ? CLOCK_REALTIME : CLOCK_MONOTONIC, s.flag & 4 ? 1000000 : -1000000);
      return futex(at, FUTEX_WAIT_BITSET | own | real, *at, &soon, 0, s.number);
    }
    case WAKE: return futex(at, FUTEX_WAKE | own, s.number, 0, 0, 0);
    case WAKE_BITS: return futex(at, FUTEX_WAKE_BITSET | own, s.number, 0, 0, s.other);
    case REQUEUE: return futex(at, FUTEX_REQUEUE | own, s.number & 3, (void *)(long)(s.number >> 2), to, 0);
    case CMP_REQUEUE:
      return futex(at, FUTEX_CMP_REQUEUE | own, s.number & 3, (void *)(long)(s.number >> 2), to, *at + (s.flag >> 1 == 3));
    case SET_WORD: *at = s.number; return 0;
    case BAD:
      if (s.flag & 1) return futex((uint32_t *)((char *)at + 2), FUTEX_WAIT, 0, 0, 0, 0);
      return s.flag & 2 ? futex(at, FUTEX_WAIT_BITSET, *at, 0, 0, 0) : futex(at, FUTEX_REQUEUE, -1, (void *)1L, to, 0);
    case COND_SIGNAL: return pthread_cond_signal(&wakes);
    case COND_BROADCAST: return pthread_cond_broadcast(&wakes);
    case COND_TIMED: {
      pthread_mutex_lock(&gate);
      long gave = pthread_cond_timedwait(&wakes, &gate, &past);
      pthread_mutex_unlock(&gate);
      return gave;
    }
    case LOCK: return pthread_mutex_lock(&mutex[s.object]);
    case TRYLOCK: return pthread_mutex_trylock(&mutex[s.object]);
    case TIMEDLOCK: return pthread_mutex_timedlock(&mutex[s.object], &past);
    case UNLOCK: return pthread_mutex_unlock(&mutex[s.object]);
    case TRYREAD: return pthread_rwlock_tryrdlock(&rwlock[s.object]);
    case TRYWRITE: return pthread_rwlock_trywrlock(&rwlock[s.object]);
    case TIMEDREAD: return pthread_rwlock_timedrdlock(&rwlock[s.object], &past);
    case TIMEDWRITE: return pthread_rwlock_timedwrlock(&rwlock[s.object], &past);
    case RELEASE: return pthread_rwlock_unlock(&rwlock[s.object]);
    case POST: return sem_post(&sem[s.object]);
    case TRYWAIT: return sem_trywait(&sem[s.object]) ? errno : 0;
    case VALUE: sem_getvalue(&sem[s.object], &value); return value;
    case TIMEDWAIT: return sem_timedwait(&sem[s.object], &past) ? errno : 0;
    case SPIN: return pthread_spin_trylock(&spin);
    case UNSPIN: return pthread_spin_unlock(&spin);
    case SPECIFIC: {
      long before = (long)pthread_getspecific(key);
      pthread_setspecific(key, (void *)(long)s.number);
      return before;
    }
    case ONCE: pthread_once(&once, note); return ran;
    case CANCEL: pthread_setcancelstate(s.flag & 1, &value); return value;
    default: return pthread_equal(pthread_self(), threads[s.other % THREADS]) * 2 + pthread_kill(threads[me], 0);
  }
}

// Makes a thread's calls. One that sleeps says so before.
static void *work(void *number) {
  int me = (long)number;
  for (;;) {
    sem_wait(&go[me]);
    if (over) return 0;
    Step s = orders[me];
    int own = s.flag & 1 ? FUTEX_PRIVATE_FLAG : 0;
    struct timespec later = moment(CLOCK_MONOTONIC, 0);
    later.tv_sec += 1000;
    struct timespec *limit = s.flag & 2 ? &later : 0;
    uint32_t *at = &word[s.object], value = *at;
    if (s.call == COND_WAIT) pthread_mutex_lock(&gate);
    if (s.call != WAIT && s.call != WAIT_BITS && s.call != COND_WAIT) {
      result[me] = quick(s, me);
      sem_post(&done);
      continue;
    }
    asleep[me] = 1;
    sem_post(&done);
    if (s.call == COND_WAIT) {
      result[me] = pthread_cond_wait(&wakes, &gate);
      pthread_mutex_unlock(&gate);
    } else if (s.call == WAIT) {
      struct timespec far = {1000, 0};
      result[me] = futex(at, FUTEX_WAIT | own, value, limit ? &far : 0, 0, 0);
    } else {
      result[me] = futex(at, FUTEX_WAIT_BITSET | own, value, limit, 0, s.number);
    }
    sem_post(&returned);
  }
}

// The calls that may be made now.
static int allowed(Step *s, int t) {
  int o = s->object, mine = owner[o] == t, reads = 0;
  for (int i = 0; i < THREADS; i++) reads += readers[o][i];
  switch (s->call) {
    case LOCK: return o == PLAIN ? owner[o] < 0 : owner[o] < 0 || mine;
    case TIMEDLOCK: return !mine || o != PLAIN;
    case UNLOCK: return o != PLAIN || mine;
    case RELEASE: return readers[o][t] > 0 || writer[o] == t;
    case TRYWRITE: case TIMEDWRITE: case TIMEDREAD: return writer[o] != t && (s->call == TIMEDREAD || !readers[o][t]);
    case UNSPIN: return spins == t;
    default: return 1;
  }
}

static void remember(Step *s, int t, long gave) {
  int o = s->object;
  switch (s->call) {
    case LOCK: case TRYLOCK: case TIMEDLOCK: if (!gave) owner[o] = t, depth[o]++; return;
    case UNLOCK: if (!gave && !--depth[o]) owner[o] = -1; return;
    case TRYREAD: case TIMEDREAD: if (!gave) readers[o][t]++; return;
    case TRYWRITE: case TIMEDWRITE: if (!gave) writer[o] = t; return;
    case RELEASE: if (writer[o] == t) writer[o] = -1; else readers[o][t]--; return;
    case SPIN: if (!gave) spins = t; return;
    case UNSPIN: spins = -1; return;
    default: return;
  }
}

static uint64_t sum;
static int verbose;
static void tell(const char *what, int t, Step *s, long gave) {
  long parts[] = {t, s->call, s->object, s->other, s->number, s->flag, gave};
  for (int i = 0; i < 7; i++) sum = (sum ^ parts[i]) * 0x100000001b3;
  if (verbose) printf("%s: thread %d call %d object %d other %d number %d flag %d = %ld\n", what, t, s->call, s->object, s->other, s->number, s->flag, gave);
}

// How many threads sleep at each word, privately or not: moving them to where they are counts them.
static int sleepers(int w, int own) {
  return futex(&word[w], FUTEX_REQUEUE | (own ? FUTEX_PRIVATE_FLAG : 0), 0, (void *)(long)INT_MAX, &word[w], 0);
}

static int total(void) {
  int all = 0;
  for (int w = 0; w < WORDS; w++) all += sleepers(w, 0) + sleepers(w, 1);
  return all;
}

static int at_words, at_cond;
static int waits_at_cond[THREADS];

// Waits for threads that a call has woken, and tells what their calls gave.
static void collect(long woken) {
  for (long i = 0; i < woken; i++) sem_wait(&returned);
  for (int t = 0, left = woken; t < THREADS && left; t++) {
    if (!asleep[t] || result[t] == LONG_MIN) continue;
    asleep[t] = 0;
    left--;
    if (waits_at_cond[t]) at_cond--; else at_words--;
    waits_at_cond[t] = 0;
    tell("woken", t, &orders[t], result[t]);
  }
}

static void order(int t, Step s) {
  int sleeps = s.call == WAIT || s.call == WAIT_BITS || s.call == COND_WAIT;
  orders[t] = s;
  result[t] = LONG_MIN;
  sem_post(&go[t]);
  sem_wait(&done);
  if (sleeps) {
    waits_at_cond[t] = s.call == COND_WAIT;
    if (s.call == COND_WAIT) {
      at_cond++;
      // Whoever waits for a condition has given the mutex back.
      pthread_mutex_lock(&gate);
      pthread_mutex_unlock(&gate);
    } else {
      at_words++;
      while (total() < at_words) sched_yield();
    }
    tell("sleeps", t, &s, 0);
    return;
  }
  tell("call", t, &s, result[t]);
  remember(&s, t, result[t]);
  if (s.call == WAKE || s.call == WAKE_BITS) collect(result[t] > 0 ? result[t] : 0);
  if (s.call == REQUEUE || s.call == CMP_REQUEUE) {
    // The result counts those that were moved, too.
    int stay = total();
    collect(at_words - stay);
  }
  if (s.call == COND_SIGNAL) collect(at_cond > 0);
  if (s.call == COND_BROADCAST) collect(at_cond);
}

static void script(void) {
  pthread_mutexattr_t kind;
  const int kinds[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
  sum = 0xcbf29ce484222325;
  over = ran = at_words = at_cond = 0;
  spins = -1;
  pthread_spin_init(&spin, 0);
  once = (pthread_once_t)PTHREAD_ONCE_INIT;
  pthread_key_create(&key, 0);
  pthread_mutexattr_init(&kind);
  for (int i = 0; i < OBJECTS; i++) {
    pthread_mutexattr_settype(&kind, kinds[i]);
    pthread_mutex_init(&mutex[i], &kind);
    pthread_rwlock_init(&rwlock[i], 0);
    sem_init(&sem[i], 0, i);
    owner[i] = writer[i] = -1;
    depth[i] = word[i] = 0;
    for (int t = 0; t < THREADS; t++) readers[i][t] = 0;
  }
  sem_init(&done, 0, 0);
  sem_init(&returned, 0, 0);
  for (long t = 0; t < THREADS; t++) {
    sem_init(&go[t], 0, 0);
    asleep[t] = waits_at_cond[t] = 0;
    pthread_create(&threads[t], 0, work, (void *)t);
  }
  for (int i = 0; i < STEPS; i++) {
    int t = below(THREADS), call = below(2) ? below(BAD + 1) : below(CALLS);
    Step s = {call, below(3), below(4), 1 + below(10), below(8)};
    // The last thread that is awake must not fall asleep.
    int sleeps = s.call == WAIT || s.call == WAIT_BITS || s.call == COND_WAIT;
    if (asleep[t] || (sleeps && at_words + at_cond == THREADS - 1) || !allowed(&s, t)) continue;
    if (s.call == REQUEUE || s.call == CMP_REQUEUE) s.other %= WORDS;
    order(t, s);
  }
  for (int w = 0; w < WORDS; w++)
    for (int own = 0; own < 2; own++) collect(futex(&word[w], FUTEX_WAKE | (own ? FUTEX_PRIVATE_FLAG : 0), INT_MAX, 0, 0, 0));
  pthread_cond_broadcast(&wakes);
  collect(at_cond);
  over = 1;
  for (int t = 0; t < THREADS; t++) sem_post(&go[t]);
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], 0);
  pthread_key_delete(key);
}

int main(int argc, char **argv) {
  uint64_t seed = strtoull(argv[1], 0, 10);
  int count = atoi(argv[2]);
  verbose = argc > 3;
  for (int i = 0; i < count; i++) {
    state = (seed + i) * 0x9e3779b97f4a7c15 | 1;
    script();
    printf("%llu: %016llx\n", (unsigned long long)seed + i, (unsigned long long)sum);
  }
}
