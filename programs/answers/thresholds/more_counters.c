// The same with a higher limit: one write.
//
// cleave: run --max-choices=400
// cleave: expect paths=2 failed=0
// cleave: never says value by value
#include <klee/klee.h>

int main(void) {
  int count[100] = {0};
  unsigned char c;
  klee_make_symbolic(&c, sizeof c, "c");
  if (c >= 100) return 1;
  count[c]++;
  return count[7];
}
