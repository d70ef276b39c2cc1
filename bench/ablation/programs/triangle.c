// Triangles of floats: their kind, their area by Heron's formula, and whether a point is inside.
// flags: -O0
#include <klee/klee.h>

struct point {
  float x, y;
};

static float side(struct point a, struct point b, struct point c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

int main(void) {
  struct point p, corners[3] = {{0, 0}, {8, 1}, {3, 7}};
  float a, b, c;
  klee_make_symbolic(&p, sizeof p, "p");
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  klee_make_symbolic(&c, sizeof c, "c");
  if (!(a > 0 && b > 0 && c > 0 && a < 1000 && b < 1000 && c < 1000)) return 1;
  if (a + b <= c || b + c <= a || c + a <= b) return 2;
  if (a == b && b == c) return 3;
  if (a * a + b * b == c * c) return 4;
  int inside = 1;
  for (int i = 0; i < 3; i++) inside &= side(corners[i], corners[(i + 1) % 3], p) > 0;
  if (inside) return p.x > 5 ? 5 : 6;
  return a == b ? 7 : 8;
}
