// An indirect call through a table in which two entries are no functions, one of them null: one path for both.
//
// cleave: args --sym-arg 1
// cleave: expect paths=3 failed=1
// cleave: bug exec
// cleave: levels -O0 -O2
#include <stdint.h>

#define FUNCTION(n) __attribute__((noinline)) static int f##n(void) { return n; }
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
static int data[4];

int main(int argc, char **argv) {
  static int (*volatile table[256])(void);
  int (*const known[])(void) = {f0, f1, f2};
  for (int i = 0; i < 256; i++)
    table[i] = known[i % 3];
  table[200] = (int (*)(void))(uintptr_t)data;
  table[201] = 0;
  (void)argc;
  return table[(unsigned char)argv[1][0]](); //~ ERROR exec
}
