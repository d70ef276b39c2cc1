// The same with a higher limit: one read.
//
// cleave: run --max-choices=300
// cleave: expect paths=2 failed=0
// cleave: never says value by value
#include <klee/klee.h>
#include <stdint.h>

int main(void) {
  uint8_t all[300];
  uint16_t at;
  klee_make_symbolic(all, sizeof all, "all");
  klee_make_symbolic(&at, sizeof at, "at");
  if (at >= sizeof all) return 1;
  volatile uint8_t *places = all;
  return places[at] & 3;
}
