// longjmp across frames: through recursion, a sort's callback and a handler stack; from an atexit function's
// callee; nested setjmp; sigsetjmp.
//
// cleave: expect paths=1
// cleave: exit 5
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct handler {
  jmp_buf where;
  struct handler *outer;
};
static struct handler *handlers;
static int cleaned;

static void raise_error(int code) {
  struct handler *h = handlers;
  handlers = h->outer;
  longjmp(h->where, code);
}

static int compare(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  if (x == 13 || y == 13) raise_error(13);
  return (x > y) - (x < y);
}

static int guarded_sort(int *values, int n) {
  struct handler h = {.outer = handlers};
  handlers = &h;
  int code = setjmp(h.where);
  if (code == 0) {
    qsort(values, n, sizeof *values, compare);
    handlers = h.outer;
  }
  return code;
}

static int parse(const char *text, int depth) {
  if (*text == 0) raise_error(depth);
  if (*text == '(') {
    struct handler h = {.outer = handlers};
    handlers = &h;
    int code = setjmp(h.where);
    if (code != 0) {
      cleaned++;
      raise_error(code + 100);
    }
    int value = parse(text + 1, depth + 1);
    handlers = h.outer;
    return value + 1;
  }
  return *text == 'x' ? 1 : parse(text + 1, depth);
}

static int guarded_parse(const char *text) {
  struct handler h = {.outer = handlers};
  handlers = &h;
  volatile int before = 7;
  int code = setjmp(h.where);
  if (code != 0) return -code * before;
  before = 8;
  int value = parse(text, 0);
  handlers = h.outer;
  return value;
}

static jmp_buf at_end;
static void leave(void) { longjmp(at_end, 2); }
static void finish(void) {
  if (setjmp(at_end) == 0) leave();
  printf("finished, %d cleaned\n", cleaned);
}

int main(void) {
  atexit(finish);
  int good[] = {5, 3, 9, 1, 7}, bad[] = {5, 3, 13, 1, 7};
  printf("%d", guarded_sort(good, 5));
  for (int i = 0; i < 5; i++) printf(" %d", good[i]);
  printf(" %d\n", guarded_sort(bad, 5));
  printf("%d %d %d\n", guarded_parse("ab((x"), guarded_parse("((("), guarded_parse("x"));
  sigjmp_buf again;
  volatile int rounds = 0;
  int code = sigsetjmp(again, 1);
  if (code < 4) {
    rounds += code;
    siglongjmp(again, code + 1);
  }
  printf("%d %d\n", code, rounds);
  jmp_buf outer, copy;
  int first = setjmp(outer);
  if (first == 0) {
    memcpy(copy, outer, sizeof copy);
    longjmp(copy, 3);
  }
  printf("%d\n", first);
  return handlers == NULL ? 5 : 1;
}
