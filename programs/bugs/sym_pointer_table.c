// Pointers from a table with many entries for few objects, and entries behind the end of one: one path reads any
// of the eight, one reads behind an end.
//
// cleave: args --sym-arg 1
// cleave: expect paths=1 failed=1
// cleave: bug ptr
// cleave: levels -O0 -O2
#include <stdlib.h>

static int *table[256];

int main(int argc, char **argv) {
  int *o[8];
  for (int i = 0; i < 8; i++) {
    o[i] = malloc(sizeof *o[i]);
    *o[i] = i;
  }
  for (int i = 0; i < 256; i++)
    table[i] = i < 200 ? o[i % 7] : o[7];
  table[250] = o[3] + 1;
  table[251] = o[4] + 1;
  (void)argc;
  return *table[(unsigned char)argv[1][0]]; //~ ERROR ptr
}
