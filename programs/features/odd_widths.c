// Integers of odd widths: _BitInt of 1 to 128 bits, signed and unsigned, in registers, memory, structs and bit-fields.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdio.h>
#include <string.h>

typedef _BitInt(17) s17;
typedef unsigned _BitInt(17) u17;
typedef _BitInt(65) s65;
typedef unsigned _BitInt(65) u65;
typedef unsigned _BitInt(3) u3;
typedef _BitInt(33) s33;
typedef unsigned _BitInt(127) u127;

struct mixed {
  char before;
  s17 narrow;
  u65 wide;
  u3 tiny;
  s33 middle : 20;
  char after;
};

static volatile long long seed = 0x123456789abcdefll;
static volatile int by = 5;

static void show65(const char *what, u65 v) { printf("%s %d:%016llx\n", what, (int)(v >> 64), (unsigned long long)v); }

static s17 twist(s17 a, u3 b, u65 *c) {
  *c += b;
  return (s17)(a * 3 - b);
}

int main(void) {
  s17 a = (s17)seed, b = (s17)(seed >> 20);
  u17 c = (u17)seed, d = (u17)(seed >> 9);
  printf("%d %d %d %d\n", (int)a, (int)b, (int)c, (int)d);
  printf("%d %d %d %d %d\n", (int)(s17)(a + b), (int)(a / (b | 1)), (int)(a % (b | 1)), (int)(a >> by), (int)(u17)(c << by));
  printf("%d %d %d %d\n", a < b, c < d, (int)(c / d), (int)(u17)(c * d));
  printf("%d %d\n", (int)(s17)65536, (int)(u17)131072);
  u65 x = ((u65)seed << 7) + 1, y = (u65)(s65)-3;
  show65("x", x);
  show65("y", y);
  show65("sum", x + y);
  show65("product", x * (u65)seed);
  show65("quotient", y / (u65)seed);
  show65("remainder", y % (u65)seed);
  show65("shift", y >> by << 1);
  s65 n = -(s65)x;
  show65("negative", (u65)n);
  show65("signed quotient", (u65)(n / 1000));
  show65("signed remainder", (u65)(n % 1000));
  show65("signed shift", (u65)(n >> 40));
  printf("%d %d %d\n", n < 0, n < (s65)y, x > y);
  u127 big = ((u127)1 << 126) + (u127)seed;
  printf("%llx %llx\n", (unsigned long long)(big >> 64), (unsigned long long)(big * 3));
  struct mixed m;
  memset(&m, 0, sizeof m);
  m = (struct mixed){'b', a, y, 6, -5, 'a'};
  struct mixed copy = m;
  copy.tiny += 3;
  copy.middle -= 600000;
  printf("%c %d %d %d %lld %c %zu %zu\n", copy.before, (int)copy.narrow, (int)(copy.wide >> 60), (int)copy.tiny, (long long)copy.middle,
         copy.after, sizeof m, sizeof(s17));
  s17 array[5];
  for (int i = 0; i < 5; i++) array[i] = (s17)(a * i);
  for (int i = 0; i < 5; i++) printf("%d ", (int)array[(i * by) % 5]);
  u65 counter = ~(u65)0;
  printf("%d ", (int)twist(a, 7, &counter));
  show65("counter", counter);
  printf("%.17g %.17g %d\n", (double)n, (double)y, (int)(s65)-1e3);
  _BitInt(2) two = (_BitInt(2))by;
  unsigned _BitInt(1) one = (unsigned _BitInt(1))by;
  printf("%d %d %d\n", (int)two, (int)one, (int)(two + one));
  return 0;
}
