// Sizes above 4096 are one object. A write at any place of it is a path for each place where it may be larger than 256 KiB, and the run says so.
//
// cleave: levels -O0
// cleave: modes symbolic
// cleave: run --max-paths=100 --search=dfs
// cleave: replay no
// cleave: says is decided value by value (limit: --max-symbolic-size)
// cleave: says sizes_above.c:20 in main
// cleave: code 4
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned n;
  klee_make_symbolic(&n, sizeof n, "n");
  if (n < 5000 || n > 1000000) return 1;
  // More than any room, and all above the limit.
  char *p = malloc(n);
  if (!p) return 2;
  p[n - 1] = 1;
  free(p);
  return 3;
}
