// Freed through a table that an input indexes: a path for each object, and one for each that must not be freed.
//
// cleave: args --sym-arg 1
// cleave: expect paths=21 failed=2
// cleave: bug free
// cleave: levels -O0 -O2
#include <stdlib.h>

static char *volatile table[256];
static char global;

int main(int argc, char **argv) {
  char *o[20];
  for (int i = 0; i < 20; i++)
    o[i] = malloc(1);
  for (int i = 0; i < 256; i++)
    table[i] = o[i % 20];
  table[99] = 0;
  table[100] = &global;
  table[101] = o[3] + 1;
  (void)argc;
  free(table[(unsigned char)argv[1][0]]); //~ ERROR free
  return 0;
}
