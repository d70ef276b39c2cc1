// Pointers from tables that an input indexes: many entries for few objects, the last of them late in the table, and
// tables of more objects than are looked for one by one. What is read out of few objects stays a choice, and a path for each
// object is taken of `many` alone: of its 97, twelve have sums of one or of two digits in them.
//
// cleave: args --sym-arg 1
// cleave: expect paths=109
// cleave: levels -O0 -O2
#include <stdio.h>
#include <stdlib.h>

static int *few[256], *many[256];
static struct pair { int first, second; } *sums[256];

int main(int argc, char **argv) {
  (void)argc;
  int *o[100];
  struct pair *p[8];
  for (int i = 0; i < 100; i++) {
    o[i] = malloc(sizeof *o[i]);
    *o[i] = i;
  }
  for (int i = 0; i < 8; i++) {
    p[i] = malloc(3 * sizeof *p[i]);
    p[i][2].second = 3 * i;
  }
  for (int i = 0; i < 256; i++) {
    few[i] = i < 200 ? o[i % 7] : o[7];
    many[i] = o[i % 97];
    sums[i] = (i < 200 ? p[i % 7] : p[7]) + 1;
  }
  unsigned char c = (unsigned char)argv[1][0];
  int sum = *few[c];
  sum += sums[c][1].second;
  sum += *many[c];
  printf("%d\n", sum);
  return 0;
}
