// Objects on the stack whose size is not known before: variable-length arrays, alloca, in loops and recursion.
//
// cleave: expect paths=1
// cleave: exit 0
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static int matrix(int n) {
  int m[n][n + 1], sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= n; j++) m[i][j] = i * j;
  for (int i = 0; i < n; i++) sum += m[i][n];
  return sum + (int)sizeof m;
}

static int nest(int n) {
  if (n == 0) return 0;
  char *a = alloca((size_t)n);
  memset(a, n, (size_t)n);
  int below = nest(n - 1);
  return below + a[0] + a[n - 1];
}

int main(void) {
  int total = 0;
  for (int i = 1; i < 6; i++) {
    int row[i];
    for (int j = 0; j < i; j++) row[j] = j;
    total += row[i - 1];
  }
  printf("%d %d %d\n", matrix(6), nest(20), total);
  return 0;
}
