// Two symbolic matrices are compared, then one is transposed, before the bug.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned char a[4][4], same = 1;
  klee_make_symbolic(a, sizeof a, "a");
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      if (a[i][j] != a[j][i]) same = 0;
  while (!same) {
    if (any() == 3) assert(a[0][1] != 7); //~ ERROR assert
  }
  return 0;
}
