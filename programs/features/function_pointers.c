// Calls through pointers: tables, callbacks, pointers returned and compared, a pointer to a library function.
//
// cleave: expect paths=1
// cleave: exit 9
#include <stdio.h>
#include <string.h>

typedef int operation(int, int);

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return a * b; }

static operation *const table[] = {add, subtract, multiply};

static operation *choose(char c) { return c == '+' ? add : c == '-' ? subtract : multiply; }

static int fold(operation *op, int start, const int *v, int n) {
  for (int i = 0; i < n; i++) start = op(start, v[i]);
  return start;
}

int main(void) {
  int v[] = {1, 2, 3, 4};
  for (int i = 0; i < 3; i++) printf("%d\n", fold(table[i], 10, v, 4));
  size_t (*volatile length)(const char *) = strlen;
  printf("%zu %d %d\n", length("hello"), choose('-') == subtract, choose('*') == add);
  return choose('+')(4, 5);
}
