// Five rounds, each of 256 ways, before the bug.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  unsigned char seen[256] = {0};
  unsigned different = 0;
  for (int round = 0; round < 5; round++) {
    unsigned char c = any_byte();
    if (c % 2) different += 2;
    else if (c % 3) different += 3;
    else if (c % 5) different += 5;
    seen[round] = (unsigned char)different;
  }
  for (;;) {
    if (any() == 1000) assert(seen[4] != 15); //~ ERROR assert
  }
}
