// KLEE's intrinsics under their own names; those that are only hints to KLEE change nothing.
//
// cleave: expect paths=4
// cleave: exit 0
#include <errno.h>
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  int x = klee_range(3, 7, "x"); // 3, 4, 5 or 6
  klee_prefer_cex(&x, x == 5);
  klee_posix_prefer_cex(&x, x == 5);
  klee_open_merge();
  klee_set_forking(0);
  int side = 1;
  if (x >= 5) side = 2; // the first fork
  klee_set_forking(1);
  klee_close_merge();
  klee_mark_global(&side);
  klee_stack_trace();
  klee_print_range("x", x);
  klee_print_expr("x", x);
  klee_warning_once("said once");
  klee_check_memory_access(&x, sizeof x);
  klee_assert(klee_get_obj_size(&x) >= 1);
  klee_assume(x != 4);
  klee_assume(x != 6);
  // One value is left on each side, so that natively it is the same one.
  int value = klee_get_value_i32(x);
  long wide = klee_get_valuel(x);
  long long wider = klee_get_valuell(x);
  printf("side %d: %d %ld %lld\n", side, value, wide, wider);
  printf("%g %g\n", klee_get_valuef(1.5f), klee_get_valued(2.5));
  errno = ENOENT;
  printf("errno %d\n", klee_get_errno() == ENOENT);
  printf("chosen %lu\n", (unsigned long)klee_choose(2)); // the second fork
  return 0;
}
