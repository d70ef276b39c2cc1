// Buffers of the usual sizes: lengths and places stay symbolic in objects of some thousand bytes, too.
//
// cleave: expect paths=6 failed=1
// cleave: apart paths=2105 failed=701
// cleave: flags -fno-builtin
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static int terminated(unsigned n) {
  char text[1024];
  memset(text, 'a', n);
  text[n] = 0;
  if (n > 0 && text[n - 1] != 'a') return 1;
  return text[n] == 0 ? 2 : 3;
}

static int filled(unsigned n) {
  unsigned char *p = malloc(n);
  memset(p, 7, n);
  return p[n]; //~ ERROR ptr
}

static int marked(unsigned n, unsigned char c) {
  char seen[1000] = {0};
  seen[n]++;
  return seen[2 * c] ? 5 : 6;
}

static int copied(unsigned n, unsigned char k) {
  char from[1000], to[1000];
  memset(from, 1, sizeof from);
  memset(to, 0, sizeof to);
  memcpy(to, from, n);
  return to[2 * k] ? 7 : 8;
}

int main(void) {
  unsigned short n;
  unsigned char k, c, which;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_make_symbolic(&c, sizeof c, "c");
  klee_make_symbolic(&which, sizeof which, "which");
  if (n > 700) return 0;
  switch (which) {
    case 0: return terminated(n);
    case 1: return filled(n);
    case 2: return marked(n, c);
    case 3: return copied(n, k);
  }
  return 9;
}
