// A choice among 300 places of different contents is above the limit: a path for each, which the last lines tell.
//
// cleave: modes symbolic
// cleave: replay no
// cleave: expect paths=301 failed=0
// cleave: says an index over 300 places of different contents is decided value by value (limit: --max-choices)
// cleave: says many_places.c:18 in main
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
