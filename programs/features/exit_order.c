// What runs at the end: atexit functions in reverse, those registered by others, buffered output flushed after
// them, destructors by priority, exit called from an atexit function's sibling.
//
// cleave: expect paths=1
// cleave: exit 42
#include <stdio.h>
#include <stdlib.h>

static int count;
static const char *early;

__attribute__((constructor)) static void plain(void) { printf("constructor, no priority, early is %s\n", early ? early : "not set"); }
__attribute__((constructor(300))) static void third(void) { printf("constructor 300, number %d\n", ++count); }
__attribute__((constructor(102))) static void first(void) {
  early = "set";
  printf("constructor 102, number %d\n", ++count);
}
__attribute__((constructor(200), destructor(200))) static void both(void) { printf("both 200, number %d\n", ++count); }
__attribute__((destructor(102))) static void very_last(void) { printf("destructor 102, number %d\n", ++count); }
__attribute__((destructor(300))) static void sooner(void) { printf("destructor 300, number %d\n", ++count); }
__attribute__((destructor)) static void first_of_all(void) { printf("destructor, no priority, number %d\n", ++count); }

static void late(void) { printf("registered while exiting\n"); }
static void a(void) { printf("a\n"); }
static void b(void) {
  printf("b\n");
  atexit(late);
}
static void c(void) { printf("c, without a newline "); }

int main(void) {
  for (int i = 0; i < 40; i++) atexit(a);
  atexit(b);
  atexit(c);
  setvbuf(stdout, NULL, _IOFBF, 512);
  printf("main\n");
  exit(42);
}
