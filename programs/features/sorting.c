// qsort and bsearch with comparison callbacks; a stable order made of two keys.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person {
  const char *name;
  int age;
};

static int by_int(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static int by_age_then_name(const void *a, const void *b) {
  const struct person *p = a, *q = b;
  if (p->age != q->age) return p->age < q->age ? -1 : 1;
  return strcmp(p->name, q->name);
}

int main(void) {
  int values[40];
  unsigned seed = 12345;
  for (int i = 0; i < 40; i++) {
    seed = seed * 1103515245u + 12345u;
    values[i] = (int)(seed >> 16) % 100;
  }
  qsort(values, 40, sizeof values[0], by_int);
  for (int i = 0; i < 40; i++) printf("%d ", values[i]);
  printf("\n");
  struct person people[] = {{"eve", 30}, {"bob", 25}, {"ann", 30}, {"dan", 25}, {"cyd", 41}};
  qsort(people, 5, sizeof people[0], by_age_then_name);
  for (int i = 0; i < 5; i++) printf("%s %d\n", people[i].name, people[i].age);
  int key = values[17];
  int *found = bsearch(&key, values, 40, sizeof values[0], by_int);
  int missing = 1000;
  return found != NULL && *found == key && bsearch(&missing, values, 40, sizeof values[0], by_int) == NULL ? 0 : 1;
}
