// A matrix of small numbers: determinant, trace, and whether it is singular, symmetric or a rotation.
// flags: -O0
#include <klee/klee.h>

enum { N = 3 };

static int determinant(signed char m[N][N]) {
  int sum = 0;
  for (int i = 0; i < N; i++) {
    int j = (i + 1) % N, k = (i + 2) % N;
    sum += m[0][i] * (m[1][j] * m[2][k] - m[1][k] * m[2][j]);
  }
  return sum;
}

int main(void) {
  signed char m[N][N];
  klee_make_symbolic(m, sizeof m, "m");
  int symmetric = 1, trace = 0;
  for (int i = 0; i < N; i++) {
    trace += m[i][i];
    for (int j = 0; j < N; j++) {
      if (m[i][j] < -8 || m[i][j] > 8) return 1;
      symmetric &= m[i][j] == m[j][i];
    }
  }
  int d = determinant(m);
  if (d == 0) return 2;
  if (symmetric && d == 1) return 3;
  if (trace == 5 && d == 77) return 4;
  int a = m[0][0] * m[0][0] + m[1][0] * m[1][0] + m[2][0] * m[2][0];
  if (a == 25 && d > 100) return 5;
  return symmetric ? 6 : 0;
}
