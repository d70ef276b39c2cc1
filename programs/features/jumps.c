// setjmp and longjmp: out of nested calls, with a value, zero turned into one, volatile locals kept.
//
// cleave: expect paths=1
// cleave: exit 3
#include <setjmp.h>
#include <stdio.h>

static jmp_buf outer, inner;

static void dive(int depth) {
  if (depth == 0) longjmp(outer, 42);
  dive(depth - 1);
  printf("never\n");
}

int main(void) {
  volatile int rounds = 0;
  int value = setjmp(outer);
  printf("outer %d\n", value);
  if (value == 0) dive(5);
  switch (setjmp(inner)) {
    case 0:
      longjmp(inner, 0);
    case 1:
      if (++rounds < 3) longjmp(inner, 1);
      break;
    default:
      return 1;
  }
  printf("rounds %d\n", rounds);
  return rounds;
}
