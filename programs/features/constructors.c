// What runs before and after main: constructors by priority, atexit in reverse, destructors, and the exit status.
//
// cleave: expect paths=1
// cleave: exit 7
#include <stdio.h>
#include <stdlib.h>

static int order;

__attribute__((constructor(202))) static void later(void) { printf("constructor 202 is number %d\n", ++order); }
__attribute__((constructor(201))) static void sooner(void) { printf("constructor 201 is number %d\n", ++order); }
__attribute__((destructor)) static void last(void) { printf("destructor\n"); }
static void first_registered(void) { printf("atexit, registered first\n"); }
static void second_registered(void) { printf("atexit, registered second\n"); }

int main(void) {
  atexit(first_registered);
  atexit(second_registered);
  printf("main\n");
  exit(7);
}
