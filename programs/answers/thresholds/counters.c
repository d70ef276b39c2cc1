// Counters of words: 100 of them are more bytes than a write changes at once, so there is a path for each, and the run says so.
//
// cleave: levels -O0
// cleave: modes symbolic
// cleave: expect paths=101 failed=0
// cleave: says the index of a write to 400 bytes is decided value by value (limit: --max-choices)
#include <klee/klee.h>

int main(void) {
  int count[100] = {0};
  unsigned char c;
  klee_make_symbolic(&c, sizeof c, "c");
  if (c >= 100) return 1;
  count[c]++;
  return count[7];
}
