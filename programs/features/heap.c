// malloc, calloc, realloc, aligned_alloc, zero sizes, a linked list, a table that grows.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct link {
  int value;
  struct link *next;
};

int main(void) {
  struct link *list = NULL;
  for (int i = 0; i < 10; i++) {
    struct link *l = malloc(sizeof *l);
    *l = (struct link){i * i, list};
    list = l;
  }
  long sum = 0;
  while (list) {
    struct link *l = list;
    list = l->next;
    sum += l->value;
    free(l);
  }
  int *table = NULL, used = 0, room = 0;
  for (int i = 0; i < 1000; i++) {
    if (used == room) table = realloc(table, (size_t)(room = room ? room * 2 : 4) * sizeof *table);
    table[used++] = i;
  }
  for (int i = 0; i < used; i++) sum += table[i];
  table = realloc(table, 2 * sizeof *table);
  sum += table[1];
  free(table);
  unsigned char *zeroes = calloc(100, 3);
  for (int i = 0; i < 300; i++) sum += zeroes[i];
  free(zeroes);
  void *aligned = aligned_alloc(64, 128), *posix = NULL;
  int failed = posix_memalign(&posix, 32, 10);
  printf("%ld %d %d %d\n", sum, (int)((uintptr_t)aligned % 64), failed, (int)((uintptr_t)posix % 32));
  free(aligned);
  free(posix);
  free(NULL);
  free(malloc(0));
  volatile size_t huge = SIZE_MAX / 2;
  // The results go through a volatile pointer, or a compiler may leave both calls out.
  void *volatile too_large = calloc(huge, 16);
  printf("%d ", too_large == NULL);
  too_large = malloc(huge * 2 - 100);
  printf("%d\n", too_large == NULL);
  return 0;
}
