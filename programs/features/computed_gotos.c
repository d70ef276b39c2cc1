// Labels as values: a threaded interpreter, labels by distance, a label that outlives a round.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdio.h>

static int interpret(const unsigned char *code) {
  static void *const ops[] = {&&push, &&add, &&multiply, &&swap, &&jump_if, &&halt, &&drop_one};
  int stack[16], top = 0;
#define NEXT goto *ops[*code++]
  NEXT;
push:
  stack[top++] = *code++;
  NEXT;
add:
  top--;
  stack[top - 1] += stack[top];
  NEXT;
multiply:
  top--;
  stack[top - 1] *= stack[top];
  NEXT;
swap: {
  int t = stack[top - 1];
  stack[top - 1] = stack[top - 2];
  stack[top - 2] = t;
  NEXT;
}
jump_if:
  code += stack[top - 1] > 0 ? (signed char)*code : 1;
  NEXT;
drop_one:
  top--;
  NEXT;
halt:
  return stack[top - 1];
}

static int by_distance(int which) {
  static const int distance[] = {&&first - &&first, &&second - &&first, &&third - &&first};
  goto *(&&first + distance[which]);
first:
  return 10;
second:
  return 20;
third:
  return 30;
}

int main(void) {
  // 5 factorial: an accumulator and a counter that goes down.
  const unsigned char program[] = {0, 7, 0, 6, 2, 0, 9, 1, 5};
  printf("%d\n", interpret(program));
  const unsigned char countdown[] = {0, 1, 0, 5, 0, 255, 6, 4, (unsigned char)3, 5, 5, 3, 5};
  printf("%d\n", interpret(countdown));
  printf("%d %d %d\n", by_distance(0), by_distance(1), by_distance(2));
  void *next = &&start;
  int rounds = 0;
again:
  goto *next;
start:
  next = &&middle;
  rounds += 1;
  goto again;
middle:
  if (++rounds < 10) goto again;
  next = &&end;
  goto again;
end:
  printf("%d\n", rounds);
  return 0;
}
