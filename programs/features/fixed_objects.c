// klee_define_fixed_object: memory at addresses that the program knows, as a device's registers. The heap goes around it.
//
// cleave: expect paths=2
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

#define SCREEN ((volatile unsigned short *)0xb8000)
#define DEVICE ((volatile unsigned *)0x40000000)

int main(void) {
  unsigned char x;
  klee_define_fixed_object((void *)SCREEN, 4000);
  klee_define_fixed_object((void *)DEVICE, 64);
  unsigned *heap = malloc(sizeof *heap);
  *heap = 5;
  klee_make_symbolic(&x, sizeof x, "x");
  SCREEN[1999] = 0x700 | 'x';
  DEVICE[x & 15] = 7;
  printf("%x %u %u\n", SCREEN[1999], SCREEN[0], *heap);
  puts(DEVICE[3] == 7 ? "the fourth" : "another");
  free(heap);
  return 0;
}
