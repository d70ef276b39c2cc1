// Calls through pointers to other types of functions, as far as the calling convention says what they do: arguments
// too many, results that nobody looks at, and the low bits of wider integers.
//
// cleave: expect paths=3
// cleave: domain x 0..255
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

struct pair {
  long first, second;
};

__attribute__((noinline)) static struct pair two(long a) { return (struct pair){a + 1, a + 2}; }
__attribute__((noinline)) static long wide(long a) { return a * 3; }
__attribute__((noinline)) static int narrow(int a) { return a + 1; }
__attribute__((noinline)) static void nothing(int a) { printf("nothing of %d\n", a); }
__attribute__((noinline)) static double real(double a, int b) { return a / b; }

// Which function it is, no optimiser sees.
static void *volatile function;
#define CALL(type, f, ...) (function = (void *)(f), (type)function)(__VA_ARGS__)

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  // The registers next to the result are those of other variables.
  long a = x + 10, b = x + 20;
  long first = CALL(long (*)(long), two, a);
  long third = CALL(long (*)(long), two, b);
  if (a != x + 10 || b != x + 20 || first != x + 11 || third != x + 21) return 1;
  CALL(void (*)(long), two, a);
  int low = CALL(int (*)(long), wide, ((long)x << 32) + x);
  if (low != 3 * x) return 2;
  if (CALL(int (*)(long, long, char *), narrow, (1L << 40) + x, 7, "unused") == 100) return 3;
  CALL(void (*)(int, int), nothing, 5, 6);
  CALL(int (*)(int), nothing, 7);
  printf("%g\n", CALL(double (*)(double, int, long), real, 5.0, 2, 3));
  size_t (*length)(const char *, int) = (size_t (*)(const char *, int))(function = (void *)strlen, function);
  if (x == 200) return (int)length("abc", 1);
  return 0;
}
