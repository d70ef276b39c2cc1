// A machine of four instructions runs for ever.
//
// cleave: bug assert
#include "any.h"

int main(void) {
  int stack[4] = {0}, top = 0;
  for (;;) {
    unsigned char op = any_byte();
    if (op == 0) {
      assert(top < 4); //~ ERROR assert
      stack[top++] = any_byte();
    } else if (op == 1 && top > 1) {
      stack[top - 2] += stack[top - 1];
      top--;
    } else if (op == 2 && top > 0) {
      top--;
    }
  }
}
