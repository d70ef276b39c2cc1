// A table of 100,000 words; a condition on an entry that none has where another is met is refuted, not open.
//
// cleave: expect paths=3..5 failed=0
// cleave: seconds 60
#include <klee/klee.h>
#include <stdint.h>

static uint32_t squares[100000];

int main(void) {
  uint32_t i;
  for (uint32_t k = 0; k < 100000; k++) squares[k] = k * k + (k >= 70000);
  klee_make_symbolic(&i, sizeof i, "i");
  if (i >= 100000) return 1;
  if (squares[i] == 1234 * 1234) return i == 1234 ? 2 : 3;
  if (squares[i] == 65000u * 65000u && i > 65000) return 4; // none: k*k wraps, but not to that
  return squares[i] % 2 ? 5 : 6;
}
