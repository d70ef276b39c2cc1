// Code pointers that depend on the input: labels and functions are decided one by one, by address, and what the
// pointer cannot be is no path.
//
// cleave: args --sym-arg 2
// cleave: expect paths=61
// cleave: levels -O0 -O2
#include <stdio.h>

#define FUNCTION(n) __attribute__((noinline)) static int f##n(int x) { return 10 * n + x; }
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
static int (*functions[256])(int);

int main(int argc, char **argv) {
  static int (*const known[])(int) = {f0, f1, f2, f3, f4, f5};
  static void *labels[256];
  void *const places[] = {&&zero, &&one, &&two, &&three, &&four, &&five, &&six, &&seven, &&eight, &&nine};
  for (int i = 0; i < 256; i++) {
    functions[i] = known[i < 250 ? i % 5 : 5];
    labels[i] = places[i < 253 ? i % 9 : 9];
  }
  (void)argc;
  unsigned char a = (unsigned char)argv[1][0], b = a ? (unsigned char)argv[1][1] : 0;
  int x = 0;
  goto *labels[a];
zero: x = 100; goto out;
one: x = 101; goto out;
two: x = 102; goto out;
three: x = 103; goto out;
four: x = 104; goto out;
five: x = 105; goto out;
six: x = 106; goto out;
seven: x = 107; goto out;
eight: x = 108; goto out;
nine: x = 109; goto out;
out:
  printf("%d\n", functions[b](x));
  return 0;
}
