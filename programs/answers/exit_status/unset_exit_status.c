// A status that nobody has set is told where the program has it from, and not where the C library ends the process.
// cleave: args --sym-args 0 1 1
// cleave: (-O0) expect paths=0 failed=2 unsupported=0
// cleave: code 3
// cleave: says in main(
// cleave: never says runtime/musl
// cleave: replay uncertain
#include <stdlib.h>
static int pick(void) { int x; int *p = &x; return *p; }
int main(int argc, char **argv) {
  if (argc > 1) { if (pick()) return 1; return 2; }   //~ ERROR (-O0) uninitialised
  return pick();                                       //~ ERROR (-O0) uninitialised
} //~ ERROR (-O2) uninitialised
