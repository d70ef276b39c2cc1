// A table that is written at symbolic indexes, one of them moved by a constant, and read at another: no fork for any
// access, and what is read is what was written last.
//
// cleave: expect paths=5
// cleave: domain i 88..96
// cleave: domain j 40..60
// cleave: domain k 0..255
#include <klee/klee.h>
#include <stdio.h>

static int end(char c) {
  putchar(c);
  return 0;
}

int main(void) {
  unsigned char i, j, k, table[256];
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_make_symbolic(&k, sizeof k, "k");
  for (int v = 0; v < 256; v++) table[v] = v;
  table[i] = 92;
  table[(unsigned char)(j + 208)] = 7;
  if (table[k] == 92) {
    if (k == i) return end('a');
    return end(k == 92 ? 'b' : 'x');
  }
  if (table[k] == 7) return end(k == (unsigned char)(j + 208) ? 'c' : k == 7 ? 'd' : 'y');
  return end(table[k] == k ? 'e' : 'z');
}
