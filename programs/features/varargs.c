// Variable arguments: many of them, in registers and on the stack, of all classes, copied and passed on.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdarg.h>
#include <stdio.h>

struct small {
  int a, b;
};

struct large {
  long v[5];
};

static long sum(int count, ...) {
  va_list ap, again;
  va_start(ap, count);
  va_copy(again, ap);
  long total = 0;
  for (int i = 0; i < count; i++) total += va_arg(ap, int);
  for (int i = 0; i < count; i++) total += 1000L * va_arg(again, int);
  va_end(again);
  va_end(ap);
  return total;
}

static void mixed(const char *kinds, ...) {
  va_list ap;
  va_start(ap, kinds);
  for (; *kinds; kinds++) switch (*kinds) {
      case 'i': printf("%d ", va_arg(ap, int)); break;
      case 'l': printf("%ld ", va_arg(ap, long)); break;
      case 'd': printf("%g ", va_arg(ap, double)); break;
      case 'D': printf("%Lg ", va_arg(ap, long double)); break;
      case 's': printf("%s ", va_arg(ap, char *)); break;
      case 'p': {
        struct small s = va_arg(ap, struct small);
        printf("{%d %d} ", s.a, s.b);
        break;
      }
      case 'P': {
        struct large s = va_arg(ap, struct large);
        printf("{%ld %ld} ", s.v[0], s.v[4]);
        break;
      }
    }
  printf("\n");
  va_end(ap);
}

static int format(char *out, size_t size, const char *text, ...) {
  va_list ap;
  va_start(ap, text);
  int n = vsnprintf(out, size, text, ap);
  va_end(ap);
  return n;
}

int main(void) {
  struct small s = {7, 8};
  struct large l = {{1, 2, 3, 4, 5}};
  printf("%ld\n", sum(10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  mixed("idlsDpPidddddddddiiiii", 1, 2.5, 3L, "four", 5.5L, s, l, 6, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1, 2, 3, 4, 5);
  char text[32];
  int n = format(text, sizeof text, "%d-%s-%.1f", 1, "two", 3.0);
  printf("%d %s\n", n, text);
  return 0;
}
