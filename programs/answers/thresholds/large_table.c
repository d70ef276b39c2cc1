// A table of 1 MiB of known bytes at an index from the input is one read: both conditions and their opposites are three paths.
//
// cleave: expect paths=2..4 failed=0
// cleave: seconds 60
#include <stdint.h>
#include <klee/klee.h>
static uint8_t big[1 << 20];
int main(void) {
  uint32_t i;
  for (uint32_t k = 0; k < sizeof big; k++) big[k] = k * 2654435761u >> 24;
  klee_make_symbolic(&i, sizeof i, "i");
  if (i >= sizeof big) return 1;
  if (big[i] == 0x77 && i > 1000000) return 2;
  return 3;
}
