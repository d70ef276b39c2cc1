// Weak symbols that are there and that are not, aliases of functions and data, resolvers by pointer comparison,
// static locals, tentative and common definitions, sections.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdio.h>
#include <string.h>

extern int absent_data __attribute__((weak));
int absent_function(int) __attribute__((weak));
int weak_here(int x) __attribute__((weak));
int weak_here(int x) { return x + 1; }

int real_name(int x) { return x * 2; }
int other_name(int) __attribute__((alias("real_name")));
int weak_name(int) __attribute__((weak, alias("real_name")));
int data[4] = {1, 2, 3, 4};
extern int same_data[4] __attribute__((alias("data")));

int tentative;
int tentative;
int tentative = 9;
static int in_section __attribute__((section("special"))) = 3;
static const char text[] = "text", *const pointer = text + 2;
static int (*const table[])(int) = {real_name, other_name, weak_here, absent_function};
static const struct { const void *a; long distance; } fixed = {&data[2], (long)sizeof data};

static int remember(void) {
  static int calls = 100;
  static int *where = &calls;
  return ++*where;
}

static inline __attribute__((always_inline)) int twice(int (*f)(int), int x) { return f(f(x)); }

int main(void) {
  printf("%d %d\n", &absent_data == NULL, absent_function == NULL);
  printf("%d %d %d %d\n", weak_here(1), other_name(21), weak_name(4), real_name == other_name);
  same_data[1] = 50;
  printf("%d %d\n", data[1], &same_data[3] == &data[3]);
  printf("%d %d %s %d\n", tentative, in_section, pointer, *(const int *)fixed.a);
  for (unsigned i = 0; i < 4; i++) printf("%d ", table[i] ? table[i](10) : -1);
  remember();
  printf("%d %d\n", remember(), twice(table[0], 3));
  printf("%s %d\n", __func__, (int)strlen(__FILE__) > 0);
  return 0;
}
