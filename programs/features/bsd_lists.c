// BSD's macros for lists and trees, which Debian's musl leaves out.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/tree.h>

struct item {
  int value;
  TAILQ_ENTRY(item) tail;
  LIST_ENTRY(item) list;
  STAILQ_ENTRY(item) simple;
  SLIST_ENTRY(item) single;
  RB_ENTRY(item) node;
};

static int compared(struct item *a, struct item *b) {
  return (a->value > b->value) - (a->value < b->value);
}

TAILQ_HEAD(tail, item);
LIST_HEAD(list, item);
STAILQ_HEAD(simple, item);
SLIST_HEAD(single, item);
RB_HEAD(tree, item);
RB_GENERATE_STATIC(tree, item, node, compared)

int main(void) {
  struct tail tail = TAILQ_HEAD_INITIALIZER(tail);
  struct list list = LIST_HEAD_INITIALIZER(list);
  struct simple simple = STAILQ_HEAD_INITIALIZER(simple);
  struct single single = SLIST_HEAD_INITIALIZER(single);
  struct tree tree = RB_INITIALIZER(&tree);
  for (int i = 0; i < 10; i++) {
    struct item *item = calloc(1, sizeof *item);
    item->value = i * 7 % 10;
    TAILQ_INSERT_HEAD(&tail, item, tail);
    LIST_INSERT_HEAD(&list, item, list);
    STAILQ_INSERT_TAIL(&simple, item, simple);
    SLIST_INSERT_HEAD(&single, item, single);
    RB_INSERT(tree, &tree, item);
  }
  struct item *item, *next, like = {.value = 4};
  RB_REMOVE(tree, &tree, RB_FIND(tree, &tree, &like));
  TAILQ_FOREACH_REVERSE(item, &tail, tail, tail)
    printf("%d ", item->value);
  LIST_FOREACH(item, &list, list)
    printf("%d ", item->value);
  printf("%d %d ", STAILQ_FIRST(&simple)->value, STAILQ_LAST(&simple, item, simple)->value);
  SLIST_FOREACH(item, &single, single)
    printf("%d ", item->value);
  RB_FOREACH(item, tree, &tree)
    printf("%d ", item->value);
  TAILQ_FOREACH_SAFE(item, &tail, tail, next) {
    TAILQ_REMOVE(&tail, item, tail);
    free(item);
  }
  printf("%d\n", TAILQ_EMPTY(&tail));
  return 0;
}
