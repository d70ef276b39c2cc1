// A machine of states whose table is constant: ten characters are one path, and what it comes to decides (a select at -O2).
//
// cleave: expect (-O0) paths=2 failed=0
// cleave: expect paths=1..2 failed=0
// cleave: seconds 20
#include <klee/klee.h>
#include <stdint.h>

static uint8_t table[8][256];

int main(void) {
  uint8_t s[10];
  for (int q = 0; q < 8; q++)
    for (int c = 0; c < 256; c++) table[q][c] = c == "cleave!?"[q] ? (q + 1) & 7 : c == 'c' ? 1 : 0;
  klee_make_symbolic(s, sizeof s, "s");
  unsigned q = 0;
  for (int i = 0; i < 10; i++) q = table[q][s[i]];
  if (q == 6) return 1;
  return 2;
}
