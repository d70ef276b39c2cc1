// A handshake of three messages among any others, for ever.
//
// cleave: bug assert
#include "any.h"

enum { START, GREETED, ASKED };
int main(void) {
  int state = START;
  for (;;) {
    unsigned char kind = any_byte(), value = any_byte();
    if (state == START && kind == 'H') state = GREETED;
    else if (state == GREETED && kind == 'A' && value > 100) state = ASKED;
    else if (state == ASKED && kind == 'X') assert(value != 7); //~ ERROR assert
    else if (kind == 'R') state = START;
  }
}
