// switch: dense, sparse, ranges, fall through, long keys, nested, with a default in the middle.
//
// cleave: expect paths=1
// cleave: exit 0
#include <limits.h>
#include <stdio.h>

static int dense(int v) {
  switch (v) {
    case 0: return 10;
    case 1: return 11;
    default: return -1;
    case 2:
    case 3: v += 100; /* fall through */
    case 4: return v;
  }
}

static int sparse(long long v) {
  switch (v) {
    case LLONG_MIN: return 1;
    case -5: return 2;
    case 1000000007: return 3;
    case LLONG_MAX: return 4;
  }
  return 0;
}

static char class_of(unsigned char c) {
  switch (c) {
    case '0' ... '9': return 'd';
    case 'a' ... 'z':
    case 'A' ... 'Z': return 'l';
    case ' ': case '\t': return 's';
    case 200 ... 255: return 'h';
  }
  return '?';
}

int main(void) {
  for (int i = -1; i < 6; i++) printf("%d ", dense(i));
  printf("%d %d %d %d %d\n", sparse(LLONG_MIN), sparse(-5), sparse(1000000007), sparse(LLONG_MAX), sparse(0));
  for (const char *p = "a9 Z\t~\xff"; *p; p++) putchar(class_of((unsigned char)*p));
  putchar('\n');
  return 0;
}
