// Structs by value through varargs and function pointers: small ones in registers, large ones in memory, mixed
// classes, va_copy, more arguments than registers.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct byte { char c; };
struct three { char c[3]; };
struct pair { int x, y; };
struct mixed { double d; int i; };
struct floats { float a, b, c; };
struct words { long a, b; };
struct large { int values[9]; };
struct with_pointer { const char *text; float f; };

static void show(const char *kinds, ...) {
  va_list list, second;
  va_start(list, kinds);
  va_copy(second, list);
  for (const char *k = kinds; *k; k++) switch (*k) {
      case 'b': printf("b%d ", va_arg(list, struct byte).c); break;
      case '3': { struct three t = va_arg(list, struct three); printf("3%c%c%c ", t.c[0], t.c[1], t.c[2]); break; }
      case 'p': { struct pair p = va_arg(list, struct pair); printf("p%d,%d ", p.x, p.y); break; }
      case 'm': { struct mixed m = va_arg(list, struct mixed); printf("m%g,%d ", m.d, m.i); break; }
      case 'f': { struct floats f = va_arg(list, struct floats); printf("f%g,%g,%g ", f.a, f.b, f.c); break; }
      case 'w': { struct words w = va_arg(list, struct words); printf("w%ld,%ld ", w.a, w.b); break; }
      case 'l': { struct large l = va_arg(list, struct large); printf("l%d..%d ", l.values[0], l.values[8]); break; }
      case 't': { struct with_pointer t = va_arg(list, struct with_pointer); printf("t%s,%g ", t.text, t.f); break; }
      case 'i': printf("i%d ", va_arg(list, int)); break;
      case 'd': printf("d%g ", va_arg(list, double)); break;
      case 'L': printf("L%Lg ", va_arg(list, long double)); break;
      case 'q': { __int128 q = va_arg(list, __int128); printf("q%llx:%llx ", (long long)(q >> 64), (long long)q); break; }
    }
  va_end(list);
  if (*kinds == 'p') printf("again %d", va_arg(second, struct pair).y);
  va_end(second);
  printf("\n");
}

static struct large grow(struct large l, struct byte b, struct mixed m, struct words w) {
  for (int i = 0; i < 9; i++) l.values[i] += b.c + m.i + (int)w.b;
  return l;
}

static char text_of(char *out, size_t size, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vsnprintf(out, size, format, list);
  va_end(list);
  return (char)n;
}

int main(void) {
  struct byte b = {'x'};
  struct three t = {"abc"};
  struct pair p = {1, -2};
  struct mixed m = {2.5, 7};
  struct floats f = {1.5f, 2.5f, -3.5f};
  struct words w = {-1, 1l << 40};
  struct large l = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  struct with_pointer s = {"text", 0.25f};
  show("pb3mfwlt", p, b, t, m, f, w, l, s);
  show("iiiiiiiwpmi", 1, 2, 3, 4, 5, 6, 7, w, p, m, 8);
  show("dddddddddmfd", 1., 2., 3., 4., 5., 6., 7., 8., 9., m, f, 10.);
  show("iiiiwpLqlLi", 1, 2, 3, 4, w, p, 1.25L, (__int128)1 << 100 | 5, l, -0.5L, 9);
  struct large (*call)(struct large, struct byte, struct mixed, struct words) = grow;
  struct large grown = call(l, b, m, (struct words){0, 100});
  printf("%d %d %d\n", grown.values[0], grown.values[8], l.values[0]);
  char out[40];
  printf("%d ", text_of(out, sizeof out, "%s-%d-%.2f-%Lg-%c", "v", 12, 3.14159, 2.5L, 'z'));
  printf("%s\n", out);
  return 0;
}
