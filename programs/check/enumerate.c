// Counts the paths of a program without a symbolic engine: runs it natively on every assignment of its inputs
// from small domains, and counts the distinct sequences of basic blocks that were entered.
//
// Built by count_paths.py: the program under -fsanitize-coverage=trace-pc-guard with its main renamed to
// `program_main`, and this file without. Two modes:
//   in     every run in this process: fast; for programs that free or leak only what they allocate
//   fork   every run in a process of its own: for programs that may crash
// Arguments: MODE [NAME=LO..HI | NAME=chars:HEX]...
// Prints "completed C failed F runs R".
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int program_main(void);

enum { MAX_DIGITS = 64, MAX_DOMAINS = 16 };
enum ending { ENDED_WELL, ENDED_BADLY, ENDED_OUTSIDE };

struct domain {
  char name[32];
  long lo, count;
  int is_chars;
  unsigned char chars[64];
};

// What one run leaves behind; shared with the children of the fork mode.
struct run {
  uint64_t hash;
  int used;                 // digits drawn
  int outside;              // an assumption did not hold
  long count[MAX_DIGITS];   // the base of each digit drawn
  long digit[MAX_DIGITS];   // the assignment
};

static struct domain domains[MAX_DOMAINS];
static int domain_count;
static struct run *run;
static jmp_buf leave;
static int in_process;

static void quit(enum ending how) {
  if (in_process) longjmp(leave, 1 + (int)how);
  _exit(how == ENDED_BADLY ? 99 : 0);
}

static const struct domain *domain_of(const char *name) {
  for (int i = 0; i < domain_count; i++)
    if (strcmp(domains[i].name, name) == 0) return &domains[i];
  fprintf(stderr, "no domain for input \"%s\"\n", name);
  abort();
}

static long draw(long base) {
  if (run->used == MAX_DIGITS) abort();
  int at = run->used++;
  run->count[at] = base;
  return run->digit[at];
}

static long draw_from(const struct domain *d) {
  long digit = draw(d->count);
  return d->is_chars ? d->chars[digit] : d->lo + digit;
}

void klee_make_symbolic(void *object, size_t size, const char *name) {
  const struct domain *d = domain_of(name);
  if (d->is_chars) {
    for (size_t i = 0; i < size; i++) ((unsigned char *)object)[i] = (unsigned char)draw_from(d);
    return;
  }
  int64_t value = draw_from(d);
  if (size > sizeof value) abort();
  memcpy(object, &value, size);
}

void klee_assume(uintptr_t condition) {
  if (condition) return;
  run->outside = 1;
  quit(ENDED_OUTSIDE);
}

void klee_silent_exit(int status) {
  (void)status;
  run->outside = 1;
  quit(ENDED_OUTSIDE);
}

int klee_range(int lo, int hi, const char *name) {
  int value;
  klee_make_symbolic(&value, sizeof value, name);
  klee_assume(value >= lo && value < hi);
  return value;
}

int klee_int(const char *name) {
  int value;
  klee_make_symbolic(&value, sizeof value, name);
  return value;
}

void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
  (void)file, (void)line, (void)message, (void)suffix;
  quit(ENDED_BADLY);
}

void reach_error(void) { quit(ENDED_BADLY); }

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  static uint32_t next;
  for (uint32_t *guard = start; guard < stop; guard++)
    if (*guard == 0) *guard = ++next;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  uint64_t h = (run->hash ^ *guard) * 0x9E3779B97F4A7C15u;
  run->hash = h ^ (h >> 29);
}

// A set of hashes: open addressing, 0 is the empty slot.
struct set {
  uint64_t *slot;
  size_t size, used;
};

static void set_add(struct set *s, uint64_t hash) {
  if (s->used * 2 >= s->size) {
    struct set bigger = {calloc(s->size ? s->size * 2 : 1024, sizeof *s->slot), s->size ? s->size * 2 : 1024, 0};
    for (size_t i = 0; i < s->size; i++)
      if (s->slot[i] != 0) set_add(&bigger, s->slot[i]);
    free(s->slot);
    *s = bigger;
  }
  if (hash == 0) hash = 1;
  size_t at = hash & (s->size - 1);
  while (s->slot[at] != 0 && s->slot[at] != hash) at = (at + 1) & (s->size - 1);
  if (s->slot[at] == 0) {
    s->slot[at] = hash;
    s->used++;
  }
}

// The heap of the in-process mode: emptied after every run, so that no run can leak into the next.
static _Alignas(16) unsigned char arena[1 << 20];
static size_t arena_used;

void *enumerate_malloc(size_t size) {
  size = (size + 15) & ~(size_t)15;
  if (arena_used + size > sizeof arena) abort();
  arena_used += size;
  return arena + arena_used - size;
}

void enumerate_free(void *object) { (void)object; }

static enum ending run_here(void) {
  arena_used = 0;
  int left = setjmp(leave);
  if (left != 0) return (enum ending)(left - 1);
  return program_main() == 0 ? ENDED_WELL : ENDED_BADLY;
}

static enum ending run_in_child(void) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    int null = open("/dev/null", O_RDWR);
    dup2(null, 1);
    dup2(null, 2);
    exit(program_main());
  }
  int status;
  waitpid(child, &status, 0);
  if (run->outside) return ENDED_OUTSIDE;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ENDED_WELL : ENDED_BADLY;
}

// The next assignment, as an odometer over the digits that the last run drew. False after the last one.
static int advance(void) {
  int at = run->used - 1;
  while (at >= 0 && run->digit[at] + 1 >= run->count[at]) at--;
  if (at < 0) return 0;
  run->digit[at]++;
  for (int i = at + 1; i < MAX_DIGITS; i++) run->digit[i] = 0;
  return 1;
}

static void parse_domain(const char *text) {
  struct domain *d = &domains[domain_count++];
  const char *equals = strchr(text, '=');
  if (domain_count > MAX_DOMAINS || equals == NULL || equals - text >= (long)sizeof d->name) abort();
  memcpy(d->name, text, (size_t)(equals - text));
  if (strncmp(equals + 1, "chars:", 6) == 0) {
    d->is_chars = 1;
    for (const char *hex = equals + 7; sscanf(hex, "%2hhx", &d->chars[d->count]) == 1; hex += 2) d->count++;
    return;
  }
  long hi;
  if (sscanf(equals + 1, "%ld..%ld", &d->lo, &hi) != 2) abort();
  d->count = hi - d->lo + 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  in_process = strcmp(argv[1], "in") == 0;
  for (int i = 2; i < argc; i++) parse_domain(argv[i]);
  run = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (run == MAP_FAILED) return 2;
  struct set completed = {0}, failed = {0};
  long runs = 0;
  do {
    run->hash = 1;
    run->used = run->outside = 0;
    enum ending ending = in_process ? run_here() : run_in_child();
    runs++;
    if (ending == ENDED_WELL) set_add(&completed, run->hash);
    if (ending == ENDED_BADLY) set_add(&failed, run->hash);
  } while (advance());
  printf("completed %zu failed %zu runs %ld\n", completed.used, failed.used, runs);
  return 0;
}
