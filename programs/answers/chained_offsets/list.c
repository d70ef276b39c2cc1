// A list in arrays, next and value, whose head and links come from the input; a second walk follows the same links.
//
// cleave: seconds 60
#include <klee/klee.h>
#include <stdint.h>

enum { N = 4 };

int main(void) {
  uint8_t next[N], value[N], head;
  klee_make_symbolic(next, sizeof next, "next");
  klee_make_symbolic(value, sizeof value, "value");
  klee_make_symbolic(&head, sizeof head, "head");
  unsigned n = 0, odd = 0;
  for (uint8_t i = head; i < N && n < 12; i = next[i]) n++;
  if (n == 12) return 100; // a circle
  for (uint8_t i = head; i < N; i = next[i]) odd += value[i] & 1;
  return odd == n && n == N ? 1 : 2;
}
