// N operations on a sorted linked list that keeps duplicates, each an add or a remove (a symbolic choice) of a
// symbolic int. With k values there, an add has k + 1 outcomes, of which each leaves k + 1 values, and a remove
// 2k + 1, of which k leave k - 1 values: that recurrence gives the counts.
//
// cleave: expect -DN=1 paths=2
// cleave: expect -DN=2 paths=7
// cleave: expect -DN=3 paths=35
// cleave: expect -DN=4 paths=232
// cleave: expect -DN=5 paths=1919
// cleave: expect -DN=6 paths=19045
// cleave: domain op 0..1
// cleave: domain value 1..N
#include <klee/klee.h>

#include "sorted_list.h"

#ifndef N
#define N 3
#endif

int main(void) {
  struct sl_node *list = NULL;
  for (int step = 0; step < N; step++) {
    int op, value;
    klee_make_symbolic(&op, sizeof op, "op");
    klee_make_symbolic(&value, sizeof value, "value");
    if (op == 0)
      sl_add(&list, value);
    else
      sl_remove(&list, value);
  }
  return 0;
}
