// A calculator by recursive descent: sums, products, parentheses and a unary minus on small integers.
#include <klee/klee.h>

enum { LENGTH = 7 };

static char text[LENGTH + 1];
static int at, failed;

static int sum(void);

static int factor(void) {
  if (text[at] == '-') return at++, -factor();
  if (text[at] == '(') {
    at++;
    int value = sum();
    if (text[at] != ')') failed = 1;
    else at++;
    return value;
  }
  if (text[at] < '0' || text[at] > '9') return failed = 1, 0;
  int value = 0;
  while (text[at] >= '0' && text[at] <= '9') value = 10 * value + text[at++] - '0';
  return value;
}

static int product(void) {
  int value = factor();
  while (!failed && (text[at] == '*' || text[at] == '/')) {
    char op = text[at++];
    int other = factor();
    if (op == '*') value *= other;
    else if (other == 0) failed = 2;
    else value /= other;
  }
  return value;
}

static int sum(void) {
  int value = product();
  while (!failed && (text[at] == '+' || text[at] == '-')) value = text[at++] == '+' ? value + product() : value - product();
  return value;
}

int main(void) {
  klee_make_symbolic(text, sizeof text, "text");
  klee_assume(text[LENGTH] == 0);
  int value = sum();
  if (failed) return failed;
  if (text[at]) return 3;
  if (value == 42) return 4;
  return value < 0 ? 5 : 0;
}
