// S2PF's List: N operations on a sorted linked list that keeps duplicates, each an add or a remove, by a symbolic
// choice; after each the list's order is checked.
// Counts by the recurrence in oracles/list_add_remove.c.
//
// cleave: expect -DN=1 paths=2
// cleave: expect -DN=2 paths=7
// cleave: expect -DN=3 paths=35
// cleave: expect -DN=4 paths=232
// cleave: expect -DN=5 paths=1919
// cleave: expect -DN=6 paths=19045
// cleave: domain op 0..1
// cleave: domain value 1..N
#include "../oracles/sorted_list.h"
#include "symbolic.h"

#ifndef N
#define N 6
#endif

int main(void) {
  struct sl_node *list = NULL;
  for (int step = 0; step < N; step++) {
    int op = symbolic("op");
    if (op == 0)
      sl_add(&list, symbolic("value"));
    else
      sl_remove(&list, symbolic("value"));
    sl_check(list);
  }
  return 0;
}
