// Recursion: direct, mutual, deep, with results on the way back.
//
// cleave: expect paths=1
// cleave: exit 89
#include <stdio.h>

static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }
static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static void hanoi(int n, char from, char to, char via, int *moves) {
  if (n == 0) return;
  hanoi(n - 1, from, via, to, moves);
  if (++*moves <= 3) printf("%c%c ", from, to);
  hanoi(n - 1, via, to, from, moves);
}

int main(void) {
  int moves = 0;
  hanoi(8, 'a', 'c', 'b', &moves);
  printf("%d %d %d %d %d\n", moves, ackermann(2, 5), is_even(1001), is_odd(77), depth(3000));
  return fibonacci(11);
}
