// Seven inputs are sorted before the bug.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned char a[7];
  klee_make_symbolic(a, sizeof a, "a");
  for (int i = 0; i < 7; i++)
    for (int j = 0; j + 1 < 7 - i; j++)
      if (a[j] > a[j + 1]) {
        unsigned char t = a[j];
        a[j] = a[j + 1];
        a[j + 1] = t;
      }
  assert(a[6] != 200); //~ ERROR assert
  return 0;
}
