// Reads one within the other that no condition is about stay one path: a key schedule, and six steps through a table of 16.
//
// cleave: expect paths=1..3 failed=0
// cleave: seconds 30
#include <klee/klee.h>
#include <stdint.h>

int main(void) {
  uint8_t s[8], k[3], t[16], x;
  klee_make_symbolic(k, sizeof k, "k");
  klee_make_symbolic(t, sizeof t, "t");
  klee_make_symbolic(&x, sizeof x, "x");
  for (int i = 0; i < 8; i++) s[i] = i;
  unsigned j = 0, a = x & 15;
  for (int i = 0; i < 8; i++) {
    j = (j + s[i] + k[i % 3]) & 7;
    uint8_t moved = s[i];
    s[i] = s[j];
    s[j] = moved;
  }
  for (int i = 0; i < 6; i++) a = t[a] & 15;
  return a == 7 ? 1 : s[(s[1] + s[s[1]]) & 7] & 1 ? 2 : 3;
}
