// Structs and unions by value: passed and returned in registers, in memory, with floats, nested, with padding.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdio.h>
#include <string.h>

struct point { int x, y; };
struct vector { double x, y; };
struct mixed { long n; double d; };
struct odd { char c[7]; };
struct packed { char a; int b; short c; } __attribute__((packed));
struct large { struct point p[4]; double d; char name[12]; };
struct complex_like { float re, im; };

static struct point swap(struct point p) { return (struct point){p.y, p.x}; }
static struct vector scale(struct vector v, double k) { return (struct vector){v.x * k, v.y * k}; }
static struct mixed bump(struct mixed m) { m.n++; m.d += 0.5; return m; }
static struct odd turn(struct odd o) { for (int i = 0; i < 3; i++) { char t = o.c[i]; o.c[i] = o.c[6 - i]; o.c[6 - i] = t; } return o; }
static struct large change(struct large l) { l.p[2].y = 99; l.d = -l.d; memcpy(l.name, "changed", 8); return l; }
static struct complex_like times(struct complex_like a, struct complex_like b) {
  return (struct complex_like){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

int main(void) {
  struct point p = swap((struct point){1, 2});
  struct vector v = scale((struct vector){1.5, -2}, 2);
  struct mixed m = bump((struct mixed){41, 1});
  struct odd o = turn((struct odd){"abcdefg"});
  struct large l = {{{1, 2}, {3, 4}, {5, 6}, {7, 8}}, 2.5, "original"}, k = change(l);
  struct complex_like c = times((struct complex_like){1, 2}, (struct complex_like){3, 4});
  struct packed packed = {1, 0x01020304, 5};
  printf("%d %d  %g %g  %ld %g  %.7s\n", p.x, p.y, v.x, v.y, m.n, m.d, o.c);
  printf("%d %g %s  %d %g %s\n", l.p[2].y, l.d, l.name, k.p[2].y, k.d, k.name);
  printf("%g %g  %zu %d %zu\n", c.re, c.im, sizeof packed, packed.b, sizeof(struct large));
  return 0;
}
