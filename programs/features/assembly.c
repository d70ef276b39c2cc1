// Inline assembly as number-theoretic code has it: wide multiplication and division, carries, bit scans; empty
// assembly as a barrier, and alignment of what follows.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdint.h>
#include <stdio.h>

static volatile uint64_t seed = 0xfedcba9876543210u;

int main(void) {
  uint64_t a = seed, b = seed >> 3 | 1, hi, lo;
  __asm__("mulq %3" : "=a"(lo), "=d"(hi) : "%0"(a), "rm"(b));
  printf("%llx %llx\n", (unsigned long long)hi, (unsigned long long)lo);
  uint64_t sum_hi, sum_lo;
  __asm__("addq %5,%q1\n\tadcq %3,%q0" : "=r"(sum_hi), "=&r"(sum_lo) : "0"(hi), "rme"(a), "%1"(lo), "rme"(b));
  printf("%llx %llx\n", (unsigned long long)sum_hi, (unsigned long long)sum_lo);
  uint64_t less_hi, less_lo;
  __asm__("subq %5,%q1\n\tsbbq %3,%q0" : "=r"(less_hi), "=&r"(less_lo) : "0"(hi), "rme"(b), "1"(lo), "rme"(a));
  printf("%llx %llx\n", (unsigned long long)less_hi, (unsigned long long)less_lo);
  uint64_t top, bottom;
  __asm__("bsr\t%1,%0" : "=r"(top) : "rm"(b));
  __asm__("bsf\t%1, %q0" : "=r"(bottom) : "rm"(a));
  printf("%llu %llu\n", (unsigned long long)top, (unsigned long long)bottom);
  int x = (int)seed;
  __asm__ volatile("" : "+r"(x) : : "memory");
  __asm__("" : "=r"(x) : "0"(x));
  printf("%d\n", x);
  for (int i = 0; i < 2; i++) {
    __asm__ volatile(".p2align 6");
    __asm__ volatile("nop\n\t.balign 16,0x90\n.p2align 4,,15");
    printf("%d\n", i + x);
  }
  return 0;
}
