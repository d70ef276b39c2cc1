// klee_get_value_* gives a value and does not bind the path to it. Natively it gives what the test has, so that the
// test of a path is one with the value that was given, if the rest of the path allows it.
//
// cleave: expect paths=2
// cleave: exit 0
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  int x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  klee_assume(x > 3);
  klee_assume(y > 7000);
  const char *size = "small";
  if (x >= 1000) size = "large"; // the only fork
  int value = klee_get_value_i32(x ^ 0x5a);
  long wide = klee_get_value_i64((long)y * 2);
  puts(size);
  printf("%d %ld\n", value, wide);
  return 0;
}
