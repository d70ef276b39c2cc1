// An exit status that nobody has set on one path; on another only bits above those that are seen are missing.
//
// cleave: expect paths=3 failed=1
// cleave: bug uninitialised
// cleave: domain k 0..3
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char k;
  klee_make_symbolic(&k, sizeof k, "k");
  unsigned char status[4];
  status[0] = 3;
  if (k == 1) exit(*(int *)status);
  if (k == 2) exit(status[2]); //~ ERROR uninitialised
  return 0;
}
