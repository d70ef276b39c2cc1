// A file with a table of sections at an offset of the header, and names at offsets of one of these: the name that ends behind the
// last byte is found.
//
// cleave: seconds 90
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

enum { SIZE = 14 };

int main(void) {
  uint8_t *f = malloc(SIZE);
  klee_make_symbolic(f, SIZE, "f");
  unsigned at = f[0], n = f[1], names = f[2];
  if (n == 0 || n > 2 || at + 2 * n > SIZE || names >= n) return 1;
  unsigned start = f[at + 2 * names], size = f[at + 2 * names + 1];
  if (start + size > SIZE || size < 2) return 2;
  unsigned name = f[start];
  if (name >= size) return 3;
  if (f[start + name] == '.' && f[start + name + 1] == 't') return 4; //~ ERROR ptr
  return 5;
}
