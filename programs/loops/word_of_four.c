// A state machine that runs for ever waits for a word.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  const char word[] = "stop";
  int state = 0;
  for (;;) {
    unsigned char c = any_byte();
    state = c == word[state] ? state + 1 : 0;
    assert(state != 4); //~ ERROR assert
  }
}
