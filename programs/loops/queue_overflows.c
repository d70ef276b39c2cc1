// A server's queue overflows after four requests in a row.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  int waiting = 0;
  for (;;) {
    switch (any()) {
    case 1: waiting++; break;
    case 2: waiting = waiting > 0 ? waiting - 1 : 0; break;
    default: break;
    }
    assert(waiting < 4); //~ ERROR assert
  }
}
