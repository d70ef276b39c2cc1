// Alignments of more than a page, of globals, local variables and the heap.
//
// cleave: expect paths=1
// cleave: exit 0
// cleave: levels -O0 -O2
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Alignas(16384) static char page[3] = "ab";
_Alignas(65536) static int large = 7;
static struct {
  char c;
  _Alignas(8192) int member;
} whole = {1, 2};

static int off(const volatile void *p, uintptr_t by) { return (uintptr_t)p % by != 0; }

static int local(int n) {
  _Alignas(16384) volatile char here[10];
  _Alignas(32768) volatile int other = n;
  here[n % 10] = (char)n;
  return off((const void *)here, 16384) + off((const void *)&other, 32768) + (here[n % 10] != (char)n);
}

int main(void) {
  printf("%d %d %d\n", off(page, 16384), off(&large, 65536), off(&whole.member, 8192));
  printf("%s %d %d %d\n", page, large, whole.c, whole.member);
  printf("%d %d\n", local(3), local(123));
  for (size_t by = 16; by <= 262144; by *= 4) {
    char *p = aligned_alloc(by, by), *q;
    if (!p || posix_memalign((void **)&q, by, 100)) return 1;
    memset(p, 'x', by);
    memset(q, 'y', 100);
    printf("%zu: %d %d\n", by, off(p, by), off(q, by));
    free(p);
    free(q);
  }
  return 0;
}
