// Calls: some end in the middle, of a decision, of an allocation, of a full stack, or with an object that is used after its end.
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
static unsigned char input[3];
static int *kept;
__attribute__((noinline)) static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) static long deep(long n, long *sum) {
  long here[3] = {n, *sum, 7};
  if (n == 0) return here[1] + 1;
  *sum += here[n % 3];
  return deep(n - 1, sum) + here[2];
}
__attribute__((noinline)) static int asks(int n, int i) {
  if (n == 0) {
    char *p = malloc(8);
    p[0] = i;
    int r = input[i] > 100 ? p[0] + 1 : 2;
    free(p);
    return r;
  }
  return asks(n - 1, i) + n;
}
__attribute__((noinline)) static int *escapes(int n) {
  int local[4];
  volatile int *p = local;
  for (int i = 0; i < 4; i++) p[i] = n + i;
  if (n == 60) kept = (int *)p;
  return n == 0 ? kept : escapes(n - 1);
}
__attribute__((noinline)) static long endless(long n) {
  volatile long x = n;
  return endless(n + 1) + x;
}
struct three {
  uint64_t a, b, c;
};
__attribute__((noinline)) static struct three many(uint64_t n) {
  struct three t = {n, n * n, n + 1};
  if (n % 7 == 0) t = many(n + 1);
  return t;
}
int main(void) {
  klee_make_symbolic(input, sizeof input, "input");
  uint64_t h = fib(15);
  long sum = 1;
  for (int i = 0; i < 50; i++) h = h * 31 + deep(i, &sum);
  for (uint64_t i = 0; i < 300; i++) {
    struct three t = many(i);
    h = h * 33 + t.a + 2 * t.b + 3 * t.c;
  }
  for (int i = 0; i < 3; i++) h += asks(40 + i, i);
  if (input[2] == 7) return *escapes(70);
  if (input[2] == 8) return endless(0);
  char small[4] = {1, 2, 3, 4};
  return small[4 + h % 1000];
}
