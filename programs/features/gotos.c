// goto in and out of loops, and labels as values: a small interpreter by computed goto.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdio.h>

enum { PUSH, ADD, MULTIPLY, DUPLICATE, JUMP_IF_SMALL, HALT };

static int interpret(const int *code) {
  static const void *const place[] = {&&push, &&add, &&multiply, &&duplicate, &&jump_if_small, &&halt};
  int stack[16], top = 0, at = 0;
#define NEXT goto *place[code[at++]]
  NEXT;
push:
  stack[top++] = code[at++];
  NEXT;
add:
  top--;
  stack[top - 1] += stack[top];
  NEXT;
multiply:
  top--;
  stack[top - 1] *= stack[top];
  NEXT;
duplicate:
  stack[top] = stack[top - 1];
  top++;
  NEXT;
jump_if_small:
  if (stack[top - 1] < code[at]) {
    at = code[at + 1];
    NEXT;
  }
  at += 2;
  NEXT;
halt:
  return stack[top - 1];
}

int main(void) {
  int i = 0, j = 0;
again:
  for (j = 0; j < 5; j++) {
    if (i == 2 && j == 3) goto out;
    if (j == 4) {
      i++;
      goto again;
    }
  }
out:
  printf("%d %d\n", i, j);
  int program[] = {PUSH, 3, DUPLICATE, MULTIPLY, PUSH, 1, ADD, JUMP_IF_SMALL, 1000, 2, HALT};
  printf("%d\n", interpret(program));
  return 0;
}
