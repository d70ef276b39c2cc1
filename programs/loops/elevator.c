// A lift with doors: it must not move when they are open.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  int floor = 0, open = 0;
  for (;;) {
    int command = any();
    if (command == 1) open = 1;
    if (command == 2 && floor > 1) open = 0;
    if (command == 3 && !open) floor++;
    if (command == 4) {
      assert(!(open && floor == 2)); //~ ERROR assert
      floor = 0;
    }
  }
}
