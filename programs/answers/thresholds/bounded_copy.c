// A buffer of up to 64 KiB, filled and copied by a length of the input: few paths, and one bug where the copy is longer.
//
// cleave: levels -O0
// cleave: expect paths=2..3 failed=1
// cleave: seconds 60
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  uint16_t size, length;
  klee_make_symbolic(&size, sizeof size, "size");
  klee_make_symbolic(&length, sizeof length, "length");
  if (size < 16) return 1;
  char *p = malloc(size);
  memset(p, 'x', length); //~ ERROR ptr
  p[15] = 0;
  free(p);
  return 2;
}
