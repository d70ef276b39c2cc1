// Initialised globals: pointers to globals, into the middle of them, to functions, to themselves; tables of
// structs; constant expressions; string literals shared and not; static locals; thread-local variables.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdint.h>
#include <stdio.h>

struct ring {
  const char *name;
  struct ring *next;
  int *value;
  int (*function)(int);
};

static int twice(int v) { return 2 * v; }
static int square(int v) { return v * v; }
static int numbers[5] = {10, 20, 30, [4] = 50};
extern struct ring rings[3];
struct ring rings[3] = {
    {"one", &rings[1], &numbers[0], twice}, {"two", &rings[2], numbers + 4, square}, {"three", &rings[0], &numbers[1], twice}};
static const char *const words[] = {"alpha", "beta", "gamma" + 2};
static uintptr_t address = (uintptr_t)&numbers[3];
static long distance = (char *)&numbers[4] - (char *)&numbers[1];
static _Thread_local int per_thread = 5;
static double factors[2][2] = {{1.5}, {-2, 1e100}};

static int count(void) {
  static int calls = 100;
  return ++calls;
}

int main(void) {
  struct ring *r = rings;
  for (int i = 0; i < 4; i++, r = r->next) printf("%s %d\n", r->name, r->function(*r->value));
  count();
  per_thread += count();
  printf("%s %d %ld %d %g\n", words[2], address == (uintptr_t)(numbers + 3), distance, per_thread, factors[1][0] + factors[0][1]);
  return 0;
}
