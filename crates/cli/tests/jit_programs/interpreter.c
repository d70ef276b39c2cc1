// An interpreter with a computed goto, and one with a switch; an instruction of it reads the input.
#include <klee/klee.h>
#include <stdint.h>
static unsigned char input[2];
static const unsigned char code[] = {0, 3, 1, 2, 0, 1, 4, 0, 2, 5, 1, 3, 6};
static uint64_t go(int rounds) {
  static const void *const labels[] = {&&add, &&mul, &&shift, &&mix, &&read, &&store, &&loop};
  uint64_t x = 1, cells[16] = {0};
  const unsigned char *pc = code;
#define NEXT goto *labels[*pc++]
  NEXT;
add: x += 0x1234567; NEXT;
mul: x *= 0x9E3779B97F4A7C15u; NEXT;
shift: x ^= x >> 29; NEXT;
mix: x += cells[x % 16]; NEXT;
read: if (rounds == 500 && input[0] == 'a') x++; NEXT;
store: cells[x >> 60] = x; NEXT;
loop: if (--rounds == 0) return x;
  pc = code;
  NEXT;
}
static uint64_t other(int rounds) {
  uint64_t x = 1;
  for (int i = 0; i < rounds; i++)
    switch (code[i % sizeof code]) {
    case 0: x += 3; break;
    case 1: x *= 5; break;
    case 2: x ^= x >> 3; break;
    case 4: if (i == 777 && input[1] == 'b') x = 0; break;
    default: x -= i;
    }
  return x;
}
int main(void) {
  klee_make_symbolic(input, sizeof input, "input");
  char small[4] = {1, 2, 3, 4};
  return small[4 + (go(1000) ^ other(3000)) % 1000];
}
