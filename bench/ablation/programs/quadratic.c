// The roots of a quadratic equation of doubles, with the case of no root and the case of a line.
#include <klee/klee.h>
#include <math.h>

int main(void) {
  double a, b, c;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  klee_make_symbolic(&c, sizeof c, "c");
  if (!(fabs(a) <= 100 && fabs(b) <= 100 && fabs(c) <= 100)) return 1;
  if (a == 0) {
    if (b == 0) return 2;
    double x = -c / b;
    return x > 10 ? 3 : 4;
  }
  double under = b * b - 4 * a * c;
  if (under < 0) return 5;
  double root = sqrt(under);
  double first = (-b - root) / (2 * a), second = (-b + root) / (2 * a);
  if (first == second) return 6;
  if (first > second) return 7;
  if (first > 1 && second < 2) return 8;
  return first * second < -50 ? 9 : 10;
}
